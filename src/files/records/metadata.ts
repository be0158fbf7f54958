/** Metadata of versions in records: plain YAML where that gives back the same bytes, else the text as it came. */

import { headerByNames } from '../../catalogue/header.ts';
import { kindAndRefOfPath } from '../../catalogue/layout.ts';
import { encodeMetadata, type MetadataMapping, mappingOfMetadata } from '../../catalogue/metadata.ts';
import { makeDiagnostic, type RecordDiagnostic, type RecordValue } from '../../catalogue/record-set.ts';
import type { IngestResult } from '../../data/ingest/ingest.ts';
import { editRecordText, newRecordText } from '../../text/document.ts';
import { parseRecordText } from '../../text/parse.ts';

/** Maximum length of the YAML, in characters: a record has a maximum size, too. */
const maxLength = 512 * 1024;

/**
 * The value of `metadata` in a record.
 * @param text as the API has it
 * @param present value in the record: an edit keeps the order of its keys, which may not be that of the text
 */
export function metadataForRecord(text: string, present?: unknown): MetadataMapping | string {
  const mapping = mappingOfMetadata(text);
  if (!mapping || hasLongKey(mapping)) return text;
  try {
    const isMapping = typeof present === 'object' && present !== null;
    const before = newRecordText({ metadata: isMapping ? present : '' }, []);
    const written = editRecordText(before, 'yaml', { metadata: mapping }, ['metadata']);
    const parsed = parseRecordText(written, 'yaml');
    const { metadata } = ('value' in parsed ? parsed.value : {}) as { readonly metadata: MetadataMapping };
    return written.length <= maxLength && encodeMetadata(metadata) === text ? mapping : text;
  } catch {
    // In a record, it would be nested more deeply than that may be.
    return text;
  }
}

/** Maximum length of a key: on one line of YAML (1.2, section 7.4.2), it has 1024 characters, and an escape has six. */
const maxKeyLength = 170;

function hasLongKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLongKey);
  return Object.entries(value).some(([key, item]) => key.length > maxKeyLength || hasLongKey(item));
}

/** A diagnostic, with its fix, for each version whose metadata are base64 and could be plain YAML. */
export function* findMetadataToRewrite(
  paths: Iterable<string>,
  record: (path: string) => RecordValue | undefined,
): Generator<RecordDiagnostic> {
  for (const path of paths) {
    const { metadata } = (kindAndRefOfPath(path).kind === 'version' && record(path)) || {};
    if (typeof metadata !== 'string' || typeof metadataForRecord(metadata) === 'string') continue;
    const message = 'metadata is base64, and can be written as YAML.';
    const fix = ({ metadata: now }: RecordValue) => ({
      metadata: typeof now === 'string' ? metadataForRecord(now) : now,
    });
    yield makeDiagnostic(path, { code: 'value', pointer: '/metadata', message, severity: 'warning', fix });
  }
}

/** Summary of the data: opaque to clients, useful to people. */
export function summarizeIngestedData(ingested: IngestResult, fileName: string | undefined): MetadataMapping {
  const {
    format,
    compression,
    encoding,
    delimiter,
    crs,
    rows,
    bbox,
    statistics,
    repairs,
    geometryKinds,
    misdirectedRings,
  } = ingested;
  const given = Object.entries({ compression, encoding, delimiter, crs, bbox }).filter(([, value]) => value !== null);
  const summary = {
    format,
    rows,
    ...Object.fromEntries(given),
    ...(geometryKinds.length > 0 && { geometry: [...geometryKinds].sort() }),
    ...headerOf(ingested),
    ...(Object.keys(repairs).length && { repairs }),
    ...(misdirectedRings > 0 && { misdirected_rings: misdirectedRings }),
    source: fileName,
  };
  const columns: object[] = [];
  let size = bytesOf({ ...summary, columns });
  for (const { type: _, ...figures } of statistics) {
    size += bytesOf(figures) + (columns.length > 0 ? 1 : 0);
    // The rest of thousands of columns needn't be written to know it.
    if (size > maxSummarySize) return summary;
    columns.push(figures);
  }
  return { ...summary, columns };
}

/** How the file names its columns, where it doesn't follow from their own names. */
function headerOf({ columns, header, geometryName }: IngestResult): MetadataMapping {
  const names = columns.filter(({ type }) => type !== 'geometry').map(({ name }) => name);
  const isOther = header !== null && JSON.stringify(header) !== JSON.stringify(headerByNames(names));
  return {
    ...(isOther && bytesOf(header) <= maxSummarySize / 2 && { header }),
    ...(geometryName !== null && { geometry_column: geometryName }),
  };
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** Maximum size of a summary with columns, in bytes: a record has a maximum size, too. */
const maxSummarySize = 256 * 1024;
