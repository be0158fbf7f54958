/** One row as JSON: a GeoJSON Feature, or a plain object. */
import type { Row } from '../../row.ts';
import { freeName, select, withoutGeometry } from '../selected-columns.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { RowsInput } from '../types.ts';
import { preparedKey, writeGeometry, writeJson } from './write-value.ts';

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

/** A JSON array of what is written for each row, a line each. */

/** `before[…]after`, with `item` writing each row's element. */
export function arrayWriter(
  out: TextBuffer,
  item: (row: Row) => void,
  { before = '', after = '' }: { before?: string; after?: string } = {},
): TextWriter {
  let first = true;
  return {
    start: () => out.text(`${before}[`),
    row(row) {
      if (!first) out.byte(44);
      first = false;
      out.byte(10);
      item(row);
    },
    end: () => out.text(`\n]${after}\n`),
  };
}

/** What is written for each row, ended by a newline. */

export function lineWriter(out: TextBuffer, item: (row: Row) => void): TextWriter {
  return {
    start() {},
    row(row) {
      item(row);
      out.byte(10);
    },
    end() {},
  };
}
