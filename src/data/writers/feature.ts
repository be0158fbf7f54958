/** One row as JSON: a GeoJSON Feature, or a plain object. */
import type { Row } from '../row.ts';
import type { RowsInput } from './input.ts';
import { preparedKey, writeGeometry, writeJson } from './json-text.ts';
import { freeName, select, withoutGeometry } from './selection.ts';
import type { TextBuffer } from './text-buffer.ts';

type Table = Pick<RowsInput, 'shape' | 'fields'>;

const start = Buffer.from('{"type":"Feature",');
const idKey = preparedKey('id');
const geometryKey = preparedKey('geometry');
const propertiesKey = preparedKey('properties');

/**
 * Writes rows as Features (RFC 7946, section 3.2): with the `id` that they came with, and with `geometry` in any
 * case, as the RFC demands: null where there is none or it isn't shown.
 */
export function featureWriter(table: Table, out: TextBuffer): (row: Row) => void {
  const shown = select(table);
  const hasGeometry = shown.some((each) => each.kind === 'geometry');
  const columns = withoutGeometry(shown).map(({ index, name }) => ({ index, key: preparedKey(name) }));
  return (row) => {
    out.prepared(start);
    const id = row.id();
    if (id !== undefined) {
      out.prepared(idKey);
      writeJson(out, id);
      out.byte(44);
    }
    out.prepared(geometryKey);
    writeGeometry(out, hasGeometry ? row.geometry() : null);
    out.byte(44);
    out.prepared(propertiesKey);
    out.byte(123);
    for (let i = 0; i < columns.length; i++) {
      const { index, key } = columns[i] as (typeof columns)[number];
      if (i > 0) out.byte(44);
      out.prepared(key);
      writeJson(out, row.value(index));
    }
    out.byte(125);
    out.byte(125);
  };
}

/** Writes rows as plain objects, with the geometry as GeoJSON under `geometry` (or `geometry_1` …, if that is taken). */
export function objectWriter(table: Table, out: TextBuffer): (row: Row) => void {
  const shown = select(table);
  const columns = shown.map((each) =>
    each.kind === 'geometry'
      ? { index: -1, key: preparedKey(freeName('geometry', shown)) }
      : { index: each.index, key: preparedKey(each.name) },
  );
  return (row) => {
    out.byte(123);
    for (let i = 0; i < columns.length; i++) {
      const { index, key } = columns[i] as (typeof columns)[number];
      if (i > 0) out.byte(44);
      out.prepared(key);
      if (index < 0) writeGeometry(out, row.geometry());
      else writeJson(out, row.value(index));
    }
    out.byte(125);
  };
}
