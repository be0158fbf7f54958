/** `catalogue check --deep`: comparison of payloads with their checksums and with the columns of their datasets. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  areColumnsUnchanged,
  columnMismatchMessage,
  columnsInRecordAfterData,
  compareColumns,
} from '../../catalogue/columns.ts';
import { DamagedObjectError } from '../../catalogue/errors.ts';
import { payloadPath } from '../../catalogue/layout.ts';
import { allEntities } from '../../catalogue/listing.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { latestReadyVersion } from '../../catalogue/ready-versions.ts';
import {
  entityRecordPath,
  makeDiagnostic,
  type RecordDiagnostic,
  type RecordSet,
  type RecordValue,
} from '../../catalogue/record-set.ts';
import { datasetRefOf } from '../../catalogue/ref.ts';
import type { Version } from '../../catalogue/types.ts';
import { PayloadError } from '../../data/errors.ts';
import { payloadFormats } from '../../data/formats/detect-format.ts';
import { ingest } from '../../data/ingest/ingest.ts';
import { fileChecksum } from '../../disk/checksum.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { formatAndReadingFromRecord } from '../payload-files.ts';
import { type StoredPayloads, storedPayloadsOf } from '../payloads/stored-payloads.ts';
import type { PayloadPointer } from '../tree/payload-pointer.ts';

/**
 * Reads payloads and reports those that differ from their records.
 * @param files the catalogue folder; its cache is used for payloads in the object store
 * @param isConcerned true for the versions to check
 */
export async function findPayloadProblems(
  files: CatalogueFiles,
  records: RecordSet,
  { onProgress }: { readonly onProgress?: (done: number, total: number) => void },
  isConcerned: (version: Version) => boolean,
): Promise<readonly RecordDiagnostic[]> {
  const {
    root,
    store: { tree },
  } = files;
  const versions = [...allEntities(records.snapshot, 'version')].filter(
    (version) => version.file && version.checksum && isConcerned(version),
  );
  const found: RecordDiagnostic[] = [];
  for (const [i, version] of versions.entries()) {
    onProgress?.(i, versions.length);
    const path = payloadPath(version.namespace, version.dataset, version.file);
    // Missing payloads are reported when records are read.
    if (!records.has(path)) continue;
    const pointer = tree.pointer(path);
    const checking = pointer
      ? checkStoredPayload(records, version, pointer, storedPayloadsOf(files))
      : checkPayload(records, version, join(root, path));
    found.push(...(await checking));
  }
  onProgress?.(versions.length, versions.length);
  return found;
}

async function checkPayload(
  records: RecordSet,
  version: Version,
  payload: string,
): Promise<readonly RecordDiagnostic[]> {
  const path = entityRecordPath(records, version);
  const checksum = await payloadChecksum(payload);
  if (checksum === version.checksum) return checkColumns(records, version, payload);
  const [pointer, message] =
    checksum === null
      ? ['/file', `The payload data/${version.file} can't be read.`]
      : ['/checksum', `The payload data/${version.file} has the checksum ${checksum}: it is not the published file.`];
  return [makeDiagnostic(path, { code: 'payload', pointer, message })];
}

/** Reads an object of the store whole, and compares it with its checksum. */
async function checkStoredPayload(
  records: RecordSet,
  version: Version,
  pointer: PayloadPointer,
  payloads: StoredPayloads,
): Promise<readonly RecordDiagnostic[]> {
  const path = entityRecordPath(records, version);
  const problem = (message: string) => [makeDiagnostic(path, { code: 'payload', pointer: '/checksum', message })];
  if (pointer.checksum !== version.checksum)
    return problem(`data/${version.file} points to the checksum ${pointer.checksum}: it is not the published file.`);
  try {
    if (!isNewestWithRows(records, version)) {
      await payloads.verify(pointer);
      return [];
    }
    // A copy that is fetched now is compared then.
    if (await payloads.cache.find(pointer)) await payloads.verify(pointer);
    return await payloads.use(pointer, (copy) => checkColumns(records, version, copy));
  } catch (error) {
    if (error instanceof DamagedObjectError) return problem(error.message);
    throw error;
  }
}

/** SHA-256 of a file in hexadecimal; null if it is not a file or can't be read. */
async function payloadChecksum(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isFile() ? await fileChecksum(path) : null;
  } catch {
    return null;
  }
}

function isNewestWithRows(records: RecordSet, version: Version): boolean {
  const dataset = getEntity<'dataset'>(records.snapshot, datasetRefOf(version));
  return latestReadyVersion(dataset)?.slug === version.slug && Object.hasOwn(payloadFormats, version.format);
}

/** Compares the columns of a payload with those of its dataset, if it belongs to the newest ready version. */
async function checkColumns(
  records: RecordSet,
  version: Version,
  payload: string,
): Promise<readonly RecordDiagnostic[]> {
  const dataset = getEntity<'dataset'>(records.snapshot, datasetRefOf(version));
  if (!isNewestWithRows(records, version)) return [];
  try {
    const { columns: found, lostGeometries } = await ingest(payload, {
      fileName: version.file,
      ...formatAndReadingFromRecord(version),
    });
    const changes = compareColumns(dataset.columns, found);
    if (areColumnsUnchanged(changes))
      return lostGeometries.map((remark) =>
        makeDiagnostic(entityRecordPath(records, version), {
          code: 'payload',
          pointer: '/file',
          message: `data/${version.file}: ${remark}`,
          severity: 'warning',
        }),
      );
    const message = columnMismatchMessage(changes, version.slug);
    if (version.columns) {
      const fix = () => ({ columns: found.map(({ name, type }) => ({ name, type })) });
      return [
        makeDiagnostic(entityRecordPath(records, version), { code: 'column', pointer: '/columns', message, fix }),
      ];
    }
    const pointer = dataset.columns.length ? '/columns' : '';
    const fix = ({ columns }: RecordValue) => ({ columns: columnsInRecordAfterData(columns, found, version.slug) });
    return [makeDiagnostic(entityRecordPath(records, dataset), { code: 'column', pointer, message, fix })];
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const message = `The rows of data/${version.file} can't be read: ${error.message}`;
    return [makeDiagnostic(entityRecordPath(records, version), { code: 'payload', pointer: '/file', message })];
  }
}
