/** `catalogue refresh`: imports the sources of catalogue.yaml again. */
import { resolve } from 'node:path';
import { NotFoundError } from '../../catalogue/errors.ts';
import type { SourceFormat } from '../../import/detect.ts';
import type { Verb } from '../command.ts';
import { InterruptedError } from '../errors.ts';
import { dryRunOption } from '../options.ts';
import { importedSource } from '../saved-source.ts';
import { importExitCode, resultAsJson, runImport, showImportResult } from './import.ts';

export const command: Verb<{ readonly dryRun?: boolean }> = {
  usage: 'refresh [sources...]',
  on: 'folder',
  description: 'Import the saved sources again.',
  notes:
    'Sources are saved in catalogue.yaml, under "sources", by: catalogue import … --save NAME. Without a name, all of them are ' +
    'imported. A new version is added only where a file has changed at the source. It can run in cron and in CI.',
  examples: ['catalogue refresh', 'catalogue refresh city --dry-run'],
  options: () => [dryRunOption()],
  async run(call, names, { dryRun }) {
    const { show } = call;
    const catalogue = await call.open();
    await catalogue.language();
    const { sources } = catalogue.settings;
    const root = resolve(call.context.cwd, call.folder());
    const known = Object.keys(sources);
    const chosen = names.length ? names.map(String) : known;
    const unknown = chosen.find((name) => !Object.hasOwn(sources, name));
    if (unknown !== undefined)
      throw new NotFoundError(
        `catalogue.yaml has no source "${unknown}". ${known.length ? `It has ${known.join(', ')}.` : 'Save one: catalogue import URL --save NAME'}`,
      );
    if (chosen.length === 0) show.message('catalogue.yaml has no sources. Save one: catalogue import URL --save NAME');
    const results: Readonly<Record<string, unknown>>[] = [];
    let exitCode = 0;
    for (const name of chosen) {
      const { url = '', to, format, with_data: withData, delay } = sources[name] ?? {};
      try {
        const request = {
          source: await importedSource(url, call.context.cwd, root),
          namespace: to,
          format: format as SourceFormat | undefined,
          withData,
          delay,
          dryRun,
        };
        const result = await runImport(call, request);
        if (!show.asJson) showImportResult(call, result, dryRun ?? false);
        results.push({ name, ...resultAsJson(result) });
        exitCode = Math.max(exitCode, importExitCode(result));
      } catch (error) {
        // After an error, but not after Ctrl-C, the other sources are still imported.
        if (chosen.length === 1 || error instanceof InterruptedError) throw error;
        show.failure(`error: ${name}: ${(error as Error).message}`);
        results.push({ name, error: (error as Error).message });
        exitCode = 1;
      }
    }
    if (show.asJson) show.json(results);
    return exitCode;
  },
};
