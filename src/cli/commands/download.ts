/** `catalogue download`: the bytes of a version, as they were taken in. */
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Option } from 'commander';
import type { Payload } from '../../catalogue/catalogue.ts';
import { CatalogueError, ConflictError } from '../../catalogue/errors.ts';
import { formatRef, parseVersionRef } from '../../catalogue/ref.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { interruptible } from '../interruption.ts';
import { findVersion } from '../lookup.ts';
import { transfer } from '../output/progress.ts';
import { bytesText } from '../output/quantities.ts';
import { fetchPart, hashing, partOf } from '../transfer/resume.ts';
import { writeToStdout } from '../transfer/save.ts';

export const command: Verb<{ output?: string; force?: boolean }> = {
  usage: 'download <dataset>',
  description: 'Download the file of a dataset, or of one of its versions, as it was taken in.',
  notes:
    'It is written to FILE.part first. Where that is there, left by a download that broke off, only the rest is fetched. ' +
    'FILE is there when its checksum was found to be right.',
  examples: [
    'catalogue download parks/trees',
    'catalogue download parks/trees@20200102030405000000 -o trees.csv',
    'catalogue download parks/trees -o - --json',
  ],
  options: () => [
    new Option(
      '-o, --output <file>',
      "Write to this file or into this folder; - is stdout. Default: a name of the version's.",
    ),
    new Option('--force', 'Replace the file where it is there.'),
  ],
  async run(call, [name = ''], { output, force = false }) {
    const asked = parseVersionRef(name);
    const catalogue = await call.open();
    const { ref } = await findVersion(catalogue, asked, call.show);
    const payload = await catalogue.payload(ref);
    if (output === '-') await toStdout(call, payload);
    else await toFile(call, payload, output, force);
    return 0;
  },
};

async function toStdout({ context }: Call, payload: Payload): Promise<void> {
  const { version } = payload;
  if (context.isTerminal.out && version.format === 'parquet') {
    await payload.close();
    throw new UsageError('Parquet is not for reading. Write it to a file: -o FILE');
  }
  const { bytes, checksum } = hashing(payload.stream());
  await writeToStdout(context, bytes);
  if (version.checksum && checksum() !== version.checksum)
    throw new CatalogueError(`These are not the bytes of ${formatRef(version)}: their checksum is another.`);
}

async function toFile(call: Call, payload: Payload, output: string | undefined, force: boolean): Promise<void> {
  const { context, show } = call;
  const { version, size } = payload;
  const shown = fileFor(context.cwd, payload.fileName, output);
  const path = resolve(context.cwd, shown);
  if (existsSync(path) && !force) {
    await payload.close();
    throw new ConflictError(`There is a file ${shown} already. Name another with -o FILE, or replace it: --force`);
  }
  const already = partOf(path, size);
  if (already) show.message(`Going on after the first ${bytesText(already)} of ${bytesText(size)}.`);
  const { at, end } = transfer(context, `Downloading ${basename(shown)}`, size, already);
  const remains = `What has come is in ${shown}.part: the same command goes on with it.`;
  await interruptible(context, remains, (signal) =>
    fetchPart(payload, path, { already, onProgress: at, signal }),
  ).finally(end);
  const verified = version.checksum ? 'checksum verified' : 'no checksum to verify it by';
  if (show.asJson) show.json({ file: shown, size, checksum: version.checksum });
  else if (!show.forPeople) show.line(shown);
  show.message(`Downloaded ${formatRef(version)} to ${shown} (${bytesText(size)}, ${verified}).`);
}

/** The name to save under: a folder gets the file's own in it. */
function fileFor(cwd: string, own: string, output = '.'): string {
  const isFolder = statSync(resolve(cwd, output), { throwIfNoEntry: false })?.isDirectory() ?? output.endsWith('/');
  return isFolder ? join(output, own) : output;
}
