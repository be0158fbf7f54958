/**
 * Withdrawn versions, as viewers see them who may not see their payload: the record without what its summary took from cells. Who
 * withdraws a version because of a name or an address in it has it gone from lists and pages, too.
 */
import { decodeMetadata, encodeMetadata, type MetadataMapping } from './metadata.ts';
import type { Version } from './types.ts';

/** Figures of a column that are no value of a cell. */
const harmless = ['name', 'type', 'nulls', 'distinct', 'form'];

const parts = new WeakMap<Version, Version>();

/**
 * A version without values of cells: without least and greatest values and the bounding box. Metadata of clients that aren't JSON, and
 * other keys of theirs, stay: they are given back as they came.
 * @returns the same version if it has none
 */
export function withoutCellValues(version: Version): Version {
  let part = parts.get(version);
  if (!part) {
    const metadata = metadataWithoutCellValues(version.metadata);
    const isSame = metadata === version.metadata && version.bbox === null;
    part = isSame ? version : { ...version, metadata, bbox: null };
    parts.set(version, part);
  }
  return part;
}

function metadataWithoutCellValues(text: string): string {
  const mapping = decodeMetadata(text);
  if (!mapping) return text;
  const { bbox, columns, ...others } = mapping;
  const harmlessColumns = Array.isArray(columns)
    ? columns.map(harmlessPart)
    : isMapping(columns)
      ? Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, harmlessPart(column)]))
      : columns;
  const isSame = bbox === undefined && JSON.stringify(harmlessColumns) === JSON.stringify(columns);
  return isSame ? text : encodeMetadata({ ...others, ...(columns !== undefined && { columns: harmlessColumns }) });
}

const harmlessPart = (column: unknown): unknown =>
  isMapping(column) ? Object.fromEntries(Object.entries(column).filter(([name]) => harmless.includes(name))) : column;

const isMapping = (value: unknown): value is MetadataMapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
