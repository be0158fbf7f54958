/** Tables for the writers' tests: few rows, written down whole, handed out as a cursor that moves. */
import type { StreamedFormatName } from '../../../src/catalogue/output-formats.ts';
import type { RowsInput, WriteOptions } from '../../../src/data/formats/types.ts';
import { writeRows } from '../../../src/data/formats/write-rows.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import type { Row, TableColumn, Value } from '../../../src/data/row.ts';

export interface Written {
  id?: string | number;
  geometry?: Geometry | null;
  values: Record<string, Value>;
}

/** The same object for every row, as readers do it: a writer that keeps one sees it change. */
export function* cursor(columns: readonly TableColumn[], rows: readonly Written[]): Generator<Row> {
  let row: Written = { values: {} };
  const moving: Row = {
    value: (column) => row.values[columns[column]?.name as string] ?? null,
    geometry: () => row.geometry ?? null,
    bbox: () => null,
    id: () => row.id,
  };
  for (row of rows) yield moving;
}

/** A table named `places`; `hasGeometry` unless told otherwise. */
export function table(
  types: Record<string, TableColumn['type']>,
  rows: readonly Written[],
  more: Partial<Omit<RowsInput, 'rows'>> & { hasGeometry?: boolean } = {},
): RowsInput {
  const { hasGeometry = true, ...rest } = more;
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
  return { name: 'places', schema: { hasGeometry, columns }, rows: cursor(columns, rows), ...rest };
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** The whole document as text; fails on bytes that aren't UTF-8. */
export async function written(format: StreamedFormatName, input: RowsInput, options?: WriteOptions): Promise<string> {
  const bytes = await bytesOf(writeRows(format, input, options));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

export const point = (...coordinates: number[]): Geometry => ({ type: 'Point', coordinates });

/** Geometries of all kinds, with and without Z, with and without anything in them. */
export const geometries: readonly Geometry[] = [
  point(1.5, -2.25),
  point(-179.1234567, 80, 12.5),
  point(),
  {
    type: 'MultiPoint',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  },
  {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 1],
      [2, 0.1],
    ],
  },
  { type: 'LineString', coordinates: [] },
  {
    type: 'MultiLineString',
    coordinates: [
      [
        [0, 0],
        [1, 1],
      ],
      [
        [2, 2],
        [3, 3],
      ],
    ],
  },
  {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0, 1],
        [10, 0, 1],
        [10, 10, 1],
        [0, 0, 1],
      ],
      [
        [1, 1, 1],
        [2, 2, 1],
        [2, 1, 1],
        [1, 1, 1],
      ],
    ],
  },
  {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
      [
        [
          [5, 5],
          [6, 5],
          [6, 6],
          [5, 5],
        ],
      ],
    ],
  },
  { type: 'GeometryCollection', geometries: [] },
  {
    type: 'GeometryCollection',
    geometries: [
      point(5, 5),
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
  },
];

/** Texts that trip up writers: quotes, separators, line ends, controls, formulas, all lengths of UTF-8, lone surrogates. */
export const awkwardTexts: readonly string[] = [
  '',
  ' ',
  'plain',
  'say "hi"',
  'a,b;c\td|e',
  'two\nlines',
  'two\r\nlines',
  'back\\slash',
  '\u0000\u0001\u001f\u007f',
  'é ß ñ',
  '東京',
  '🎉🏳️‍🌈',
  '\u2028\u2029\ufeff',
  '=1+1',
  '+33 1',
  '-5',
  '@name',
  '007',
  'null',
  'x'.repeat(300),
  'ü"'.repeat(200),
];
