/** `catalogue check --deep`: payloads against their checksums, and against the columns of their datasets. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { changesBetween, fitColumns, isUnchanged } from '../../catalogue/columns.ts';
import { payloadPath } from '../../catalogue/layout.ts';
import { allOf } from '../../catalogue/listing.ts';
import { find, latest } from '../../catalogue/lookup.ts';
import { type RecordDiagnostic, type RecordSet, recordPathOf, report } from '../../catalogue/record-set.ts';
import { datasetOf } from '../../catalogue/ref.ts';
import type { Version } from '../../catalogue/types.ts';
import { PayloadError } from '../../data/errors.ts';
import { payloadFormats } from '../../data/formats/detect-format.ts';
import { ingest } from '../../data/ingest/ingest.ts';
import { recordedFormat } from '../rows.ts';

/**
 * Reads payloads and reports those that are not what their records say.
 * @param root the catalogue folder
 * @param isConcerned true for the versions to check
 */
export async function checkPayloads(
  root: string,
  records: RecordSet,
  { onProgress }: { readonly onProgress?: (done: number, total: number) => void },
  isConcerned: (version: Version) => boolean,
): Promise<readonly RecordDiagnostic[]> {
  const versions = [...allOf(records.snapshot, 'version')].filter(
    (version) => version.file && version.checksum && isConcerned(version),
  );
  const found: RecordDiagnostic[] = [];
  for (const [i, version] of versions.entries()) {
    onProgress?.(i, versions.length);
    const path = payloadPath(version.namespace, version.dataset, version.file);
    // Reading has reported the payloads that are missing.
    if (records.has(path)) found.push(...(await checkPayload(records, version, join(root, path))));
  }
  onProgress?.(versions.length, versions.length);
  return found;
}

async function checkPayload(
  records: RecordSet,
  version: Version,
  payload: string,
): Promise<readonly RecordDiagnostic[]> {
  const path = recordPathOf(records, version);
  const checksum = await checksumOf(payload);
  if (checksum === version.checksum) return checkColumns(records, version, payload);
  const [pointer, message] =
    checksum === null
      ? ['/file', `The payload data/${version.file} can't be read.`]
      : ['/checksum', `The payload data/${version.file} has the checksum ${checksum}: it is not the published file.`];
  return [report(path, { code: 'payload', pointer, message })];
}

/** SHA-256 of a file in hexadecimal; null if it is not a file or can't be read. */
async function checksumOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    if (!(await stat(path)).isFile()) return null;
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
    return hash.digest('hex');
  } catch {
    return null;
  }
}

/** Compares the columns of a payload with those of its dataset, if it is the one that the dataset shows. */
async function checkColumns(
  records: RecordSet,
  version: Version,
  payload: string,
): Promise<readonly RecordDiagnostic[]> {
  const dataset = find<'dataset'>(records.snapshot, datasetOf(version));
  if (latest(dataset)?.slug !== version.slug || !Object.hasOwn(payloadFormats, version.format)) return [];
  try {
    const { columns: found } = await ingest(payload, { fileName: payload, ...recordedFormat(version) });
    const changes = changesBetween(dataset.columns, found);
    if (isUnchanged(changes)) return [];
    const differences = [
      ...changes.added.map(({ name, type }) => `"${name}" (${type}) is missing`),
      ...changes.dropped.map(({ name }) => `"${name}" is not in the data`),
      ...changes.retyped.map(({ name, from, to }) => `"${name}" is ${to} and not ${from}`),
    ];
    const message = `The columns don't fit the data of ${version.slug}, the newest ready version: ${differences.join(', ')}.`;
    const pointer = dataset.columns.length ? '/columns' : '';
    const fix = ({ columns }: Readonly<Record<string, unknown>>) => ({ columns: fitColumns(columns, found) });
    return [report(recordPathOf(records, dataset), { code: 'column', pointer, message, fix })];
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const message = `The rows of data/${version.file} can't be read: ${error.message}`;
    return [report(recordPathOf(records, version), { code: 'payload', pointer: '/file', message })];
  }
}
