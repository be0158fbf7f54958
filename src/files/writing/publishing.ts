/**
 * Publishing a version: the bytes are read once, into a file aside in the dataset's own data folder; then the payload
 * gets its name, and its record is written last. A crash at any moment leaves a whole version or none: by the name aside,
 * which it keeps until then, `leftovers.ts` knows a payload that was never finished.
 */
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ColumnChanges, Published, Upload } from '../../catalogue/catalogue.ts';
import { changesBetween, fitColumns } from '../../catalogue/columns.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { drawId } from '../../catalogue/ids.ts';
import { datasetFolder, payloadPath, recordStem } from '../../catalogue/layout.ts';
import { find } from '../../catalogue/lookup.ts';
import type { DatasetRef } from '../../catalogue/ref.ts';
import { schemas } from '../../catalogue/schemas.ts';
import type { Dataset } from '../../catalogue/types.ts';
import { type Intake, takeIn } from '../../data/intake.ts';
import { PayloadError } from '../../data/payload-error.ts';
import { codeOf, makeFolders, syncFolder, temporaryBeside, temporaryName, toUnavailable } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { newText } from '../../text/document.ts';
import { schemaHeader } from '../editor-schemas.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { sweepPayloads } from '../leftovers.ts';
import { derivedFolder } from '../rows.ts';
import { mustBeSound } from './guard.ts';
import { createRecord, editRecord } from './pen.ts';
import { show } from './shown.ts';
import { touched } from './trail.ts';
import { recordPath } from './writing.ts';

/**
 * Takes an upload in as the newest version of a dataset.
 * @throws NotFoundError, ValidationError, ConflictError (the dataset's file is broken, a folder leads elsewhere),
 *   UnavailableError
 */
export async function publishVersion(files: FileCatalogue, ref: DatasetRef, upload: Upload): Promise<Published> {
  const home = datasetFolder(ref.namespace, ref.slug);
  mustBeSound(files, 'dataset', await recordPath(files, ref));
  // What lies elsewhere is never served; nor is anything written there.
  for (const part of ['data', 'versions'])
    if (files.store.tree.leadsOutside(`${home}/${part}`))
      throw new ConflictError(`${home}/${part} is a link that leaves the catalogue folder: put a folder in its place.`);
  const aside = temporaryBeside(files.store.tree.absolute(`${home}/data/payload`));
  await makeFolders(dirname(aside));
  await sweepPayloads(dirname(aside));
  try {
    const intake = await receive(files, upload, aside);
    return await withLock(files.root, recordStem(ref), () => commit(files, ref, upload, intake, aside));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && files.store.tree.stamp(home) === null)
      throw new NotFoundError('The dataset was removed or renamed meanwhile.');
    // The name aside says nothing to anybody.
    throw toUnavailable(error, files.store.tree.absolute(home));
  } finally {
    await rm(aside, { force: true });
  }
}

async function receive(files: FileCatalogue, upload: Upload, aside: string): Promise<Intake> {
  const { source, fileName, mediaType, onProgress, signal } = upload;
  try {
    const copy = { copyTo: aside, derivedFolder: derivedFolder(files), derivedAside: temporaryName() };
    const options = { fileName, mediaType, onProgress, signal, ...copy };
    const intake = await takeIn(source, options);
    // An upload may learn what it has to be only when its bytes have been read.
    const { checksum } = upload;
    if (checksum !== undefined && checksum.toLowerCase() !== intake.checksum)
      throw new ValidationError({ checksum: [`The bytes have the checksum ${intake.checksum}, and not ${checksum}.`] });
    if (intake.isLfsPointer)
      throw new ValidationError({ file: ['It is a Git LFS pointer, and not the file itself. Run "git lfs pull".'] });
    await syncFile(aside);
    return intake;
  } catch (error) {
    if (error instanceof PayloadError) throw new ValidationError({ file: [error.message] });
    throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function commit(
  files: FileCatalogue,
  ref: DatasetRef,
  upload: Upload,
  intake: Intake,
  aside: string,
): Promise<Published> {
  await files.refresh([ref]);
  const dataset = find<'dataset'>(files.snapshot, ref);
  mustBeSound(files, 'dataset', await recordPath(files, ref));
  const [newest] = dataset.versions;
  if (newest && newest.checksum === intake.checksum) return { version: newest, created: false, changes: noChanges };

  const slug = nextSlug(dataset, new Date());
  const file = `${slug}${extensionFor(upload.fileName, intake)}`;
  const target = files.store.tree.absolute(payloadPath(ref.namespace, ref.slug, file));
  const path = `${datasetFolder(ref.namespace, ref.slug)}/versions/${slug}.yaml`;
  upload.signal?.throwIfAborted();
  await nameFile(aside, target);
  touched(payloadPath(ref.namespace, ref.slug, file));
  const made = [target];
  try {
    await syncFolder(dirname(target));
    const record = recordOf(slug, file, upload, intake, dataset);
    const header = schemaHeader('version', path, files.snapshot.settings.base_url);
    await createRecord(files.root, path, newText(record, Object.keys(schemas.version.properties), header));
    made.unshift(files.store.tree.absolute(path));
    await describeColumns(files, ref, dataset, intake);
  } catch (error) {
    for (const part of made) await rm(part, { force: true });
    throw error;
  }
  const changes = intake.columns.length ? changesBetween(dataset.columns, intake.columns) : noChanges;
  await show(files, [ref]);
  const version = find<'dataset'>(files.snapshot, ref).versions.find((candidate) => candidate.slug === slug);
  if (!version) throw new NotFoundError(`The version ${slug} was removed as soon as it was there.`);
  return { version, created: true, changes };
}

/** Gives a file a second name; where the file system knows no such thing, another one. */
async function nameFile(from: string, to: string): Promise<void> {
  await link(from, to).catch((error) => {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    return rename(from, to);
  });
}

/** The moment in 20 digits, later than every version there is: two in the same millisecond differ in the last digits. */
function nextSlug(dataset: Dataset, now: Date): string {
  const moment = now.toISOString().replace(/\D/g, '').padEnd(20, '0');
  const newest =
    dataset.versions
      .map(({ slug }) => slug)
      .filter((slug) => /^\d{20}$/.test(slug))
      .sort()
      .at(-1) ?? '';
  return newest < moment ? moment : String(BigInt(newest) + 1n).padStart(20, '0');
}

/** The extension that the file came with, where it is one; else that of its format. */
function extensionFor(fileName: string | undefined, { format, compression }: Intake): string {
  const own = /(?:\.[A-Za-z0-9]{1,12}){1,2}$/.exec(fileName ?? '')?.[0] ?? '';
  const last = own.slice(own.lastIndexOf('.'));
  const kept = compression === 'gzip' ? own : last;
  if (kept) return kept.toLowerCase();
  return `${format ? `.${format}` : '.bin'}${compression === 'gzip' ? '.gz' : ''}`;
}

function recordOf(slug: string, file: string, upload: Upload, intake: Intake, dataset: Dataset) {
  const { label, notes, metadata, fileName } = upload;
  const used = new Set(dataset.versions.map(({ id }) => id));
  const { rows, bbox, format, mediaType, size, checksum } = intake;
  return {
    id: drawId((id) => used.has(id)),
    label: label || slug,
    datetime: `${slug.slice(0, 4)}-${slug.slice(4, 6)}-${slug.slice(6, 8)}T${slug.slice(8, 10)}:${slug.slice(10, 12)}:${slug.slice(12, 14)}.${slug.slice(14, 17)}Z`,
    checksum,
    metadata: metadata || summaryOf(intake, fileName),
    ready: true,
    ...(notes && { notes }),
    ...(rows !== null && { rows }),
    ...(bbox && { bbox: [...bbox] }),
    file: { name: file, ...(format && { format }), media_type: mediaType, size },
  };
}

/** Base64 of a JSON summary: opaque to clients, useful to people. */
function summaryOf(intake: Intake, fileName: string | undefined): string {
  const { format, compression, encoding, delimiter, crs, rows, bbox, statistics } = intake;
  const columns = statistics.map(({ type: _, ...figures }) => figures);
  const given = Object.entries({ compression, encoding, delimiter, crs, bbox }).filter(([, value]) => value !== null);
  const summary = { format, rows, ...Object.fromEntries(given), source: fileName };
  const whole = Buffer.from(JSON.stringify({ ...summary, columns }));
  return (whole.length > largestSummary ? Buffer.from(JSON.stringify(summary)) : whole).toString('base64');
}

/** Of thousands of columns, a summary would be larger than the record may be that it stands in. */
const largestSummary = 256 * 1024;

const noChanges: ColumnChanges = { added: [], dropped: [], retyped: [] };

/** The columns are those of the newest version; what people wrote of them stays, and so do keys of their own. */
async function describeColumns(files: FileCatalogue, ref: DatasetRef, dataset: Dataset, intake: Intake): Promise<void> {
  const same =
    dataset.columns.length === intake.columns.length &&
    dataset.columns.every(({ name, type }, i) => intake.columns[i]?.name === name && intake.columns[i]?.type === type);
  if (same || intake.columns.length === 0) return;
  const change = ({ columns }: Readonly<Record<string, unknown>>) => ({ columns: fitColumns(columns, intake.columns) });
  await editRecord(files.root, await recordPath(files, ref), change, Object.keys(schemas.dataset.properties));
}
