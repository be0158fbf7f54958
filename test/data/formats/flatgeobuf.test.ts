/** FlatGeobuf as GDAL writes it in few cases: each value is the one in the file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder } from 'flatbuffers';
import { Column } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js';
import { buildGeometry } from 'flatgeobuf/lib/mjs/generic/geometry.js';
import { parseGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { ingestPayload, type PlainRow, rowsOf, valuesOf } from '../support/payloads.ts';

const signature = Buffer.from('fgb\u0003fgb\u0000');

/** A file with a column of 32-bit floats and no geometries. */
function fileOfFloats(values: readonly number[]): Buffer {
  const features = values.map((value) => {
    // The number of the column, and its value.
    const properties = Buffer.alloc(6);
    properties.writeFloatLE(value, 2);
    const feature = new Builder();
    const vector = Feature.createPropertiesVector(feature, properties);
    Feature.startFeature(feature);
    Feature.addProperties(feature, vector);
    feature.finishSizePrefixed(Feature.endFeature(feature));
    return feature.asUint8Array();
  });
  return Buffer.concat([signature, headOf(values.length), ...features]);
}

/** A file of features with geometries and no values. */
function fileOfGeometries(geometries: readonly Geometry[]): Buffer {
  const features = geometries.map((geometry) => {
    const feature = new Builder();
    const offset = buildGeometry(feature, parseGeometry(geometry as never));
    Feature.startFeature(feature);
    Feature.addGeometry(feature, offset);
    feature.finishSizePrefixed(Feature.endFeature(feature));
    return feature.asUint8Array();
  });
  return Buffer.concat([signature, headOf(geometries.length), ...features]);
}

/** The head of a file with a column of 32-bit floats. */
function headOf(count: number): Uint8Array {
  const header = new Builder();
  const name = header.createString('height');
  Column.startColumn(header);
  Column.addName(header, name);
  Column.addType(header, ColumnType.Float);
  const columns = Header.createColumnsVector(header, [Column.endColumn(header)]);
  Header.startHeader(header);
  Header.addColumns(header, columns);
  Header.addFeaturesCount(header, BigInt(count) as never);
  Header.addIndexNodeSize(header, 0);
  header.finishSizePrefixed(Header.endHeader(header));
  return header.asUint8Array();
}

test('32-bit floats are the numbers with the same bits, with few digits', async () => {
  const values = [0.1, 1.5, 16_777_215, 12_345_678, 1_234_567.125, 1.0000001192092896, 3.4028234663852886e38, -0.25];
  const { table } = await ingestPayload(fileOfFloats(values), 'floats.fgb');
  const read = (await valuesOf(table)).map(([height]) => Number(height));
  assert.deepEqual(read.map(Math.fround), values.map(Math.fround));
  assert.deepEqual(read.slice(0, 2), [0.1, 1.5]);
});

test('heights of NaN are none', async () => {
  const ring = (heights: readonly number[]) =>
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ].map(([x, y], i) => [x, y, heights[i]] as number[]);
  const file = fileOfGeometries([
    { type: 'Point', coordinates: [8, 47, Number.NaN] },
    { type: 'Polygon', coordinates: [ring([1, Number.NaN, 3, 1])] },
    { type: 'MultiPolygon', coordinates: [[ring([Number.NaN, Number.NaN, Number.NaN, Number.NaN])]] },
  ]);
  const rows = await rowsOf((await ingestPayload(file, 'heights.fgb')).table);
  assert.deepEqual(
    rows.map((row) => ((row as PlainRow).geometry as { coordinates: unknown }).coordinates),
    [
      [8, 47],
      [
        [
          [0, 0, 1],
          [1, 0],
          [0, 1, 3],
          [0, 0, 1],
        ],
      ],
      [
        [
          [
            [0, 0],
            [1, 0],
            [0, 1],
            [0, 0],
          ],
        ],
      ],
    ],
  );
});
