/** Uploads of files as versions: source, progress and result. */

import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Catalogue, Published, Upload } from '../../catalogue/catalogue.ts';
import { compareColumns } from '../../catalogue/columns.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import { columnsRenamedByCase, lostColumnWarnings } from '../../catalogue/next-version.ts';
import { mergeReadingOptions } from '../../catalogue/reading.ts';
import { type DatasetRef, datasetRefOf, formatRef } from '../../catalogue/ref.ts';
import { representVersion } from '../../catalogue/represent.ts';
import type { Version } from '../../catalogue/types.ts';
import type { Call } from '../command.ts';
import type { Context } from '../context.ts';
import { InterruptedError } from '../errors.ts';
import { runInterruptible } from '../interruption.ts';
import { type ColumnsChange, columnChangeLines } from '../output/difference-lines.ts';
import { linksOfCatalogue, showOutcome } from '../output/outcome.ts';
import { showByteProgress } from '../output/progress.ts';
import { bytesText, countText } from '../output/quantities.ts';
import { typedCommand } from '../typed-command.ts';
import { editEntityFields, type WriteFlags } from '../writes.ts';
import { readingOptionsFrom, type UploadOptions } from './upload-options.ts';

/** The bytes of an upload. */
export interface Source {
  readonly bytes: Readable;
  /** Name in messages. */
  readonly shown: string;
  readonly fileName: string | undefined;
  /** In bytes; null if it isn't known. */
  readonly size: number | null;
}

/**
 * Opens a file, or stdin for `-`.
 * @param name in place of the file's own
 * @throws the system's error if the file can't be opened
 */
export async function openUploadSource(context: Context, file: string, name: string | undefined): Promise<Source> {
  if (file === '-') return { bytes: context.stdin(), shown: name ?? 'stdin', fileName: name, size: null };
  const failed = (error: unknown) => Object.assign(error as NodeJS.ErrnoException, { path: file });
  const handle = await open(resolve(context.cwd, file)).catch((error) => Promise.reject(failed(error)));
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw failed(Object.assign(new Error('EISDIR'), { code: 'EISDIR' }));
  }
  return {
    bytes: handle.createReadStream({ highWaterMark: 512 * 1024 }),
    shown: basename(file),
    fileName: name ?? basename(file),
    size: stat.isFile() ? stat.size : null,
  };
}

/** Runs work that reads a source, with a progress bar, until it ends or Ctrl-C is pressed. */
async function withProgress<T>(
  { context }: Call,
  source: Source,
  work: (options: Pick<Upload, 'onProgress' | 'signal'>) => Promise<T>,
): Promise<T> {
  const { at, end } = showByteProgress(context, `Uploading ${source.shown}`, source.size);
  return runInterruptible(context, 'Nothing was kept.', (signal) => work({ onProgress: at, signal }))
    .finally(() => {
      end();
      source.bytes.destroy();
    })
    .catch((error) => {
      throw named(source, error);
    });
}

/** An error about the file, with its name: `trees.csv: line 3: …`. */
function named({ shown }: Source, error: unknown): unknown {
  if (!(error instanceof ValidationError) || !error.fields.file) return error;
  const { file, ...others } = error.fields;
  return new ValidationError({ [shown]: file, ...others });
}

/** Publishes a source as the newest version of a dataset, whole or not at all. */
export async function uploadVersion(
  call: Call,
  catalogue: Catalogue,
  ref: DatasetRef,
  source: Source,
  fields: Omit<Upload, 'source'>,
  { dryRun }: WriteFlags = {},
): Promise<Published> {
  return withProgress(call, source, (options) =>
    catalogue.publish(ref, { source: source.bytes, fileName: source.fileName, ...fields, ...options }, { dryRun }),
  );
}

/** The first version of a dataset that doesn't exist yet. */
interface FirstVersion extends Pick<Published, 'changes' | 'remarks'> {
  readonly created: true;
  readonly version: Pick<Version, 'checksum' | 'format' | 'media_type' | 'size' | 'rows' | 'bbox'>;
}

/**
 * Reads a source as the first version of a dataset that doesn't exist yet: no catalogue can check it beforehand.
 * @throws ValidationError if it would be refused
 */
export async function dryRunFirstVersion(call: Call, source: Source, options: UploadOptions): Promise<FirstVersion> {
  const { checksum, mediaType } = options;
  const reading = mergeReadingOptions({}, readingOptionsFrom(options));
  const [{ ingest }, { PayloadError }] = await Promise.all([
    import('../../data/ingest/ingest.ts'),
    import('../../data/errors.ts'),
  ]);
  const intake = await withProgress(call, source, (options) =>
    ingest(source.bytes, { fileName: source.fileName, mediaType, reading, ...options }),
  ).catch((error) => {
    throw error instanceof PayloadError ? new ValidationError({ [source.shown]: [error.message] }) : error;
  });
  if (checksum !== undefined && checksum.toLowerCase() !== intake.checksum)
    throw new ValidationError({ checksum: [`The bytes have the checksum ${intake.checksum}, not ${checksum}.`] });
  if (intake.isLfsPointer)
    throw new ValidationError({
      [source.shown]: ['It is a Git LFS pointer, and not the file itself. Run "git lfs pull".'],
    });
  const version = { ...intake, media_type: intake.mediaType };
  return { version, created: true, changes: compareColumns([], intake.columns), remarks: intake.remarks };
}

/** The changes of columns that an upload makes. A table may have 10,000 columns: a hundred of them are named. */
const columnLines = (changes: ColumnsChange, isDraft: boolean): readonly string[] =>
  columnChangeLines(changes, { isDraft, most: 100 });

/** Shows the result of an upload's dry run. */
export function showUploadDryRun({ show }: Call, dataset: DatasetRef, result: Published | FirstVersion): void {
  const { created, version, changes, remarks } = result;
  const { checksum, format, media_type, size, rows, bbox } = version;
  if (show.asJson) show.json({ created, checksum, format, media_type, size, rows, bbox, changes, remarks });
  else if (created) {
    show.line(`Would add a version to dataset ${formatRef(dataset)}: ${versionFactsText(version)}`);
    for (const line of columnLines(changes, 'ready' in version && !version.ready)) show.line(line);
    for (const line of remarks) show.line(line);
  } else {
    show.line(`Would add no version: the newest, ${formatRef(version)}, has the same bytes`);
    for (const line of remarks) show.line(line);
  }
}

/** Shows the result of an upload. */
export function showPublishedVersion(
  call: Call,
  catalogue: Catalogue,
  { version, created, changes, remarks }: Published,
): void {
  const { show } = call;
  const object = representVersion(version, linksOfCatalogue(catalogue));
  if (created) {
    showOutcome(call, { done: ['Added', 'add'], ref: version, object });
    for (const line of [versionFactsText(version), ...columnLines(changes, !version.ready), ...remarks])
      show.message(line);
  } else {
    if (show.asJson) show.json(object);
    else if (!show.forPeople) show.line(formatRef(version));
    show.message(`No version was added: the newest, ${formatRef(version)}, has the same bytes.`);
    for (const line of remarks) show.message(line);
  }
  if (version.ready) return;
  // An API doesn't say which of the two an earlier version is.
  const state = created ? 'It is a draft.' : 'It is a draft, or was withdrawn.';
  const publishing = typedCommand(call, `version edit ${formatRef(version)} --ready true`);
  show.message(`${state} To publish it, type: ${publishing}`);
}

/**
 * Warns about described columns that the new version lacks. A column in another case is probably the same: at a terminal,
 * the person is asked, and it is renamed, unless the version is a draft.
 */
export async function reportColumnChanges(
  call: Call,
  catalogue: Catalogue,
  { version, changes }: Published,
): Promise<void> {
  const { show, context } = call;
  for (const warning of lostColumnWarnings(changes, !version.ready)) show.message(`Warning: ${warning}`);
  const dataset = formatRef(datasetRefOf(version));
  for (const { from, to } of columnsRenamedByCase(changes)) {
    const isRenamed =
      version.ready &&
      context.isTerminal.in &&
      context.isTerminal.err &&
      (await context.confirm(`Is the column ${to} the former column ${from}, in another case?`).catch((error) => {
        throw error instanceof InterruptedError ? new InterruptedError('Interrupted. The version stays.') : error;
      }));
    if (isRenamed) {
      await editEntityFields<'dataset'>(call, catalogue, datasetRefOf(version), {
        columns: [{ name: to, former_names: [from] }],
      });
      show.message(`Renamed column ${from} of dataset ${dataset} to ${to}.`);
    } else
      show.message(
        `Warning: The column "${excerpt(to)}" is probably "${excerpt(from)}" of the version before. If it is, type: ` +
          typedCommand(call, 'column rename', [dataset, from, to]),
      );
  }
}

/** Format, rows and size of a version: `geojson, 12 rows, 3.4 kB`. */
function versionFactsText({ format, rows, size }: Pick<Version, 'format' | 'rows' | 'size'>): string {
  return [
    format || 'unknown format',
    rows === null ? 'no readable rows' : countText(rows, 'row'),
    ...(size === null ? [] : [bytesText(size)]),
  ].join(', ');
}
