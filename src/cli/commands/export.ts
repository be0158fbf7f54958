/** `catalogue export`: the public part of a catalogue as static files. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Verb } from '../command.ts';
import { runInterruptible } from '../interruption.ts';
import { webAddress } from '../options.ts';
import { showCountProgress } from '../output/progress.ts';
import { bytesText, countText } from '../output/quantities.ts';

interface ExportOptions {
  readonly url?: string;
  readonly force?: boolean;
}

export const command: Verb<ExportOptions> = {
  usage: 'export <dir>',
  description: 'Write the public part of the catalogue as static files.',
  notes:
    'Any web server or object store can serve them: pages, the read API, rows in all formats. What is private is left out. A ' +
    'second export into the same folder writes only what has changed, and removes what is gone.',
  examples: ['catalogue export site --url https://data.example.org', 'catalogue export site'],
  on: 'folder',
  options: () => [
    new Option(
      '--url <url>',
      'Address at which the files will be served. Default: base_url of catalogue.yaml.',
    ).argParser(webAddress),
    new Option('--force', 'Export into a folder that has other files, and replace those of the same names.'),
  ],
  async run({ context, show, folder }, [dir = ''], { url, force }) {
    const options = { folder: resolve(context.cwd, folder()), to: resolve(context.cwd, dir), url, force };
    const { exportCatalogue } = await import('../../export/export-catalogue.ts');
    const { at: onProgress, end } = showCountProgress(context, 'Exporting');
    const result = await runInterruptible(context, 'The files are usable. Export again to complete them.', (signal) =>
      exportCatalogue({ ...options, signal, onProgress }).finally(end),
    );
    if (show.asJson) show.json(result);
    for (const { file, size } of result.large)
      show.message(
        `${file} has ${bytesText(size)}: ${size > 100 * 1024 * 1024 ? 'GitHub refuses files above 100 MB' : 'some hosts refuse files above 25 MB'}.`,
      );
    show.message(
      `Wrote ${countText(result.written, 'file')} and removed ${countText(result.removed, 'file')} in ${dir}, to be served at ${result.url}/`,
    );
    return 0;
  },
};
