/** Rows that are written and published again keep their types and values, in each format of text. */
import '../../support/judged.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ingestPayload, typesOf, valuesOf } from '../support/payloads.ts';
import { table, written } from '../support/written.ts';

const extensions = {
  csv: 'csv',
  ndjson: 'ndjson',
  objects: 'json',
  json: 'json',
  geojson: 'geojson',
  geojsonl: 'geojsonl',
};

describe('rows that are written and read again', () => {
  for (const [format, extension] of Object.entries(extensions) as [keyof typeof extensions, string][])
    test(`${format}: floats of any size`, async () => {
      const floats = [0.5, 1.5e18, -1e20, 2 ** 53, 2 ** 53 - 1, 1e21, 1.7976931348623157e308, 5e-324];
      const rows = floats.map((f, n) => ({ values: { n, f } }));
      const input = table({ n: 'integer', f: 'float' }, rows, { hasGeometry: false });
      const { result, table: again } = await ingestPayload(await written(format, input), `a.${extension}`);
      assert.deepEqual(typesOf(result).slice(-2), ['n:integer', 'f:float']);
      assert.deepEqual(await valuesOf(again), [...floats.entries()]);
    });
});
