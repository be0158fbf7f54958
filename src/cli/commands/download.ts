/** `catalogue download`: the original file of a version. */
import { realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Option } from 'commander';
import { CatalogueError, ConflictError } from '../../catalogue/errors.ts';
import type { Payload } from '../../catalogue/open-file.ts';
import { parseVersionRef } from '../../catalogue/parse-ref.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { Version } from '../../catalogue/types.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { runInterruptible } from '../interruption.ts';
import { resolveVersionRef } from '../lookup.ts';
import { showByteProgress } from '../output/progress.ts';
import { bytesText } from '../output/quantities.ts';
import { bytesAlreadyFetched, partPath, passWithChecksum, resumeDownload, withPart } from '../transfer/resume.ts';
import { saveStreamToFile } from '../transfer/save.ts';

export const command: Verb<{ output?: string; force?: boolean }> = {
  usage: 'download <dataset>',
  description: 'Download the original file of a dataset, or of one of its versions.',
  notes:
    'The bytes are written to FILE.<digits of the checksum>.part first, and renamed to FILE once the checksum is right. ' +
    'If a download was interrupted, the same command fetches only the rest.',
  examples: [
    'catalogue download parks/trees',
    'catalogue download parks/trees@20200102030405000000 -o trees.csv',
    'catalogue download parks/trees -o - --json',
  ],
  options: () => [
    new Option(
      '-o, --output <file>',
      "Write to this file or into this folder; - is stdout. Default: the version's file name.",
    ),
    new Option('--force', 'Replace an existing file.'),
  ],
  async run(call, [name = ''], { output, force = false }) {
    const requested = parseVersionRef(name);
    const catalogue = await call.open();
    const { ref } = await resolveVersionRef(call, catalogue, requested);
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
    throw new UsageError("Parquet is binary and can't be shown at a terminal. Write it to a file: -o FILE");
  }
  const { bytes, checksum } = passWithChecksum(payload.stream());
  await context.write(bytes);
  assertChecksum(version, checksum());
}

/** @throws CatalogueError if the bytes of a version have another checksum */
function assertChecksum(version: Version, checksum: string): void {
  if (version.checksum && checksum !== version.checksum)
    throw new CatalogueError(`The bytes are not those of ${formatRef(version)}: the checksum differs.`);
}

async function toFile(call: Call, payload: Payload, output: string | undefined, force: boolean): Promise<void> {
  const { context, show } = call;
  const { version, size } = payload;
  const shown = fileFor(context.cwd, payload.fileName, output);
  const path = resolve(context.cwd, shown);
  const existing = statSync(path, { throwIfNoEntry: false }) ?? null;
  const exists = `The file ${shown} exists. Name another one with -o FILE, or replace it with --force`;
  if (existing && !force) {
    await payload.close();
    throw new ConflictError(exists);
  }
  const isNew = existing === null && !force;
  const explained = (error: unknown): never => {
    throw error instanceof Error && 'code' in error && error.code === 'EEXIST' ? new ConflictError(exists) : error;
  };
  // Only the checksum shows that a part is the beginning of this file; a part can't become /dev/null or a named pipe.
  if (version.checksum && (existing?.isFile() ?? true)) {
    const target = existing ? realpathSync(path) : path;
    const part = partPath(target, version.checksum);
    const shownPart = existing ? part : partPath(shown, version.checksum);
    const remains = `The first part is in ${shownPart}: the same command fetches the rest.`;
    await withPart(payload, part, shown, async (lost) => {
      const already = bytesAlreadyFetched(part, size);
      if (already) show.message(`Resuming after ${bytesText(already)} of ${bytesText(size)}.`);
      const { at, end } = showByteProgress(context, `Downloading ${basename(shown)}`, size, already);
      await runInterruptible(context, remains, (interrupted) => {
        const signal = AbortSignal.any([interrupted, lost]);
        return resumeDownload(payload, target, { part, already, existing, isNew, onProgress: at, signal });
      }).finally(end);
    }).catch(explained);
  } else {
    const { bytes, checksum } = passWithChecksum(payload.stream());
    const { at, end } = showByteProgress(context, `Downloading ${basename(shown)}`, size);
    await runInterruptible(context, `${shown} was not written.`, (signal) =>
      saveStreamToFile(path, bytes, { onProgress: at, signal, isNew }),
    )
      .finally(end)
      .catch(explained);
    assertChecksum(version, checksum());
  }
  const verified = version.checksum ? 'checksum verified' : 'no checksum to verify';
  if (show.asJson) show.json({ file: shown, size, checksum: version.checksum });
  else if (!show.forPeople) show.line(shown);
  show.message(`Downloaded ${formatRef(version)} to ${shown} (${bytesText(size)}, ${verified}).`);
}

/** The path to save to; in a folder, under the file's own name. */
function fileFor(cwd: string, own: string, output = '.'): string {
  const isFolder = statSync(resolve(cwd, output), { throwIfNoEntry: false })?.isDirectory() ?? output.endsWith('/');
  return isFolder ? join(output, own) : output;
}
