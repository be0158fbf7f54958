/**
 * Publishing a version: the bytes are read once, into a temporary file in the data folder of the dataset. Then one
 * transaction renames it to its name, and writes the record of the version and the columns of the dataset.
 */

import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Published, Upload, UploadDetails, WriteOptions } from '../../catalogue/catalogue.ts';
import { closestWord } from '../../catalogue/closest.ts';
import { excerpt, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { parseInput } from '../../catalogue/input.ts';
import { datasetFolder, payloadFolder, payloadPath, unitKey, versionsFolder } from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { assertMayStillWrite } from '../../catalogue/permissions.ts';
import { mergeReadingOptions } from '../../catalogue/reading.ts';
import type { DatasetRef } from '../../catalogue/ref.ts';
import { PayloadError } from '../../data/errors.ts';
import { type IngestOptions, type IngestResult, ingest } from '../../data/ingest/ingest.ts';
import {
  errorCode,
  flushFileToDisk,
  makeFoldersDurably,
  temporaryName,
  temporaryPathBeside,
} from '../../disk/durable.ts';
import { namePathIn, toUnavailableError } from '../../disk/not-writable.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { type Access, type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import { removeAbandonedPayloads } from '../leftovers.ts';
import { payloadChecksumsOf } from '../payload-checksums.ts';
import { storedPayloadsOf } from '../payloads/stored-payloads.ts';
import { tableFolder } from '../table-folder.ts';
import { commitSingleStep } from '../transaction.ts';
import { assertRecordNotBroken } from '../writing/conditions.ts';
import { assertPathStaysInFolder } from '../writing/record-file.ts';
import { NewVersion, type ReadUpload } from './new-version.ts';

/**
 * Publishes an upload as the newest version of a dataset.
 * @throws NotFoundError, NotPermittedError, ValidationError, ConflictError (the record of the dataset is broken, a link
 *   leads out of the catalogue), UnavailableError
 */
export async function publishUpload(
  access: Access,
  ref: DatasetRef,
  given: Upload,
  { dryRun = false }: WriteOptions<never> = {},
): Promise<Published> {
  const { files } = access;
  const { tree } = files.store;
  const home = datasetFolder(ref.namespace, ref.slug);
  // Before the bytes are read.
  const upload = withParsedFields(given);
  assertRecordNotBroken(files.snapshot, requireRecordPath(files, ref));
  for (const folder of [payloadFolder(ref.namespace, ref.slug), versionsFolder(ref.namespace, ref.slug)])
    assertPathStaysInFolder(tree, `${folder}/new`);
  const aside = dryRun ? null : temporaryPathBeside(tree.absolute(payloadPath(ref.namespace, ref.slug, 'payload')));
  let noteAdded = () => {};
  try {
    if (aside !== null) {
      // A dataset that is renamed or removed now gets no new folder under its former name.
      await makeFoldersDurably(dirname(aside), { withParents: false });
      await removeAbandonedPayloads(dirname(aside));
    }
    const reading = mergeReadingOptions(getEntity<'dataset'>(files.snapshot, ref).reading, upload.reading);
    const ingested = await ingestUpload(files, { ...upload, reading }, aside);
    assertColumns(upload, ingested);
    const detailed = { ...upload, ...withParsedFields((await upload.details?.()) ?? {}), reading };
    assertChecksum(detailed, ingested);
    if (aside !== null) await storedPayloadsOf(files).replaceByPointer(aside, ingested, upload.signal);
    const published = new NewVersion(files, ref, detailed, ingested, aside);
    const changes = async () => {
      const planned = await published.changes();
      assertMayStillWrite(access.viewer, files.snapshot, ref.namespace);
      return planned;
    };
    const step = { locks: [unitKey(ref)], changes };
    const snapshot = await commitSingleStep(access, step, {
      dryRun,
      message: () => published.commitMessage,
    });
    const result = published.result(snapshot);
    const added = tree.absolute(payloadPath(ref.namespace, ref.slug, result.version.file));
    if (result.created && aside !== null)
      noteAdded = () => payloadChecksumsOf(files).noteAdded(added, ingested, ingested.columnarCopy);
    return result;
  } catch (error) {
    // Another dataset may have its name by now.
    const isAsideGone = (error as NodeJS.ErrnoException).path === aside;
    if (errorCode(error) === 'ENOENT' && (isAsideGone || tree.stamp(home) === null))
      throw new NotFoundError('The dataset was removed or renamed meanwhile.');
    // The message names the dataset folder, not the temporary file.
    throw namePathIn(files.root, toUnavailableError(error, home));
  } finally {
    // An error of this must not take the place of the one before, in a folder without permission.
    if (aside !== null) await rm(aside, { force: true }).catch(() => {});
    // When the other name of the file is gone: that changes its stamp.
    noteAdded();
  }
}

/** Details with the fields of the version's record parsed, as those of an edit are. @throws ValidationError */
const withParsedFields = <T extends UploadDetails>(details: T): T => {
  const { label, notes, metadata, ready } = details;
  return { ...details, ...parseInput('version', { label, notes, metadata, ready }, { partial: true }) };
};

/** @throws ValidationError if a type is given for a column that the data don't have */
function assertColumns({ reading }: Upload, { columns, rows }: IngestResult): void {
  const names = columns.map(({ name }) => name);
  const unknown = Object.keys(reading?.types ?? {}).find((name) => reading?.types?.[name] && !names.includes(name));
  if (unknown === undefined || rows === null) return;
  const meant = closestWord(unknown, names);
  throw new ValidationError({
    type: [`There is no column "${excerpt(unknown)}".${meant ? ` Did you mean "${excerpt(meant)}"?` : ''}`],
  });
}

/** Reads the bytes of an upload. @param aside path of the copy; null to keep none */
async function ingestUpload(files: CatalogueFiles, upload: ReadUpload, aside: string | null): Promise<IngestResult> {
  const { source, fileName, mediaType, reading, onProgress, signal } = upload;
  const hints = { fileName, mediaType, reading, onProgress, signal };
  const ingestWith = (copy: IngestOptions) => (files.options.ingest ?? ingest)(source, { ...hints, ...copy });
  const cacheFolder = tableFolder(files.root);
  const cache: IngestOptions = { cacheFolder, stagingName: temporaryName(), isCopyOptional: true };
  try {
    const ingested = await (aside === null
      ? ingestWith({})
      : ingestWith({ copyTo: aside, ...cache }).catch((error) => {
          // Without the columnar copy, there may be room for the payload.
          if (typeof source !== 'string' || !isDiskFull(error)) throw error;
          return ingestWith({ copyTo: aside });
        }));
    if (ingested.copyFailure !== null)
      files.options.log?.(
        `${cacheFolder} can't be written (${ingested.copyFailure}): the rows of the new version aren't cached.`,
      );
    if (ingested.isLfsPointer)
      throw new ValidationError({ file: ['It is a Git LFS pointer, and not the file itself. Run "git lfs pull".'] });
    if (aside !== null) {
      inheritOwner(aside);
      await flushFileToDisk(aside);
    }
    return ingested;
  } catch (error) {
    if (error instanceof PayloadError) throw new ValidationError({ file: [error.message] });
    throw error;
  }
}

const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(errorCode(error));

function assertChecksum({ checksum }: Upload, ingested: IngestResult): void {
  if (checksum === undefined || checksum.toLowerCase() === ingested.checksum) return;
  throw new ValidationError({ checksum: [`The bytes have the checksum ${ingested.checksum}, not ${checksum}.`] });
}
