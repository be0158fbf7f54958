/** What maps read of a table: columns within a memory, tiles within a size, and layers that several ask for. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { Turns } from '../../../src/data/event-loop.ts';
import { buildMapLayer } from '../../../src/data/map/layer.ts';
import { GeometryWriter, geometryTypes, TileLayer } from '../../../src/data/map/mvt.ts';
import { readMapColumn } from '../../../src/data/map/source.ts';
import type { Table } from '../../../src/data/table/table.ts';
import { collection, ingestPayload, point } from '../support/payloads.ts';

const long = 'x'.repeat(1000);
const features = Array.from({ length: 300 }, (_, n) =>
  point({ kind: ['oak', 'elm', null][n % 3] ?? null, text: `${long}${n}`, height: n }, [n / 10, n / 10]),
);

describe('what maps read of a table', () => {
  let table: Table;
  before(async () => {
    ({ table } = await ingestPayload(collection(...features), 'a.geojson'));
  });
  const read = (name: string, most: number) => readMapColumn(table, null, name, new Turns(), most);

  it('is a column that keeps equal texts once, and counts them once', async () => {
    const column = await read('kind', 1000);
    assert.deepEqual([...(column?.values ?? [])].slice(0, 4), ['oak', 'elm', null, 'oak']);
    assert.equal(column?.bytes, 8 * 300 + 2 * (3 * 2 + 24));
  });

  it('is no column whose texts take more memory than they may', async () => {
    assert.equal(await read('text', 300_000), null);
    assert.equal((await read('text', 1_000_000))?.values[299], `${long}299`);
    assert.equal((await read('height', 0))?.values[299], 299);
  });

  it('the length of a tile has that of its texts in it', () => {
    const tile = new TileLayer('rows');
    const writer = new GeometryWriter();
    writer.points([1, 1]);
    for (let n = 0; n < 10; n++) {
      tile.begin();
      tile.setProperty('text', `${long}${n}`);
      tile.setProperty('same', 'é'.repeat(1000));
      tile.add(n, geometryTypes.point, writer);
    }
    const { length } = tile;
    const real = tile.finish().length;
    assert.ok(length <= real && length > real - 100, `${length} of ${real} bytes`);
  });

  it('have whole numbers of all sizes in tiles', () => {
    const numbers = [0, 1, -1, 2 ** 53 - 1, -(2 ** 52), -(2 ** 52) - 1, -5e15, -(2 ** 53 - 1)];
    const tile = new TileLayer('rows');
    const writer = new GeometryWriter();
    writer.points([1, 1]);
    for (const [n, number] of numbers.entries()) {
      tile.begin();
      tile.setProperty('n', number);
      tile.add(n, geometryTypes.point, writer);
    }
    const layer = new VectorTile(new PbfReader(tile.finish())).layers.rows;
    assert.deepEqual(
      numbers.map((_, n) => layer?.feature(n).properties.n),
      numbers,
    );
  });

  it('are all points, also those among which some have a height or further numbers', async () => {
    const text = collection(
      point({ id: 'a' }, [8, 47]),
      point({ id: 'b' }, [9, 48, 400]),
      point({ id: 'c' }, [1, 2, 3, 4]),
    );
    const mixed = await ingestPayload(text, 'b.geojson');
    const layer = await buildMapLayer(mixed.table, new Turns());
    assert.ok(layer.kind === 'points');
    assert.deepEqual(
      [[...layer.longitudes], [...layer.latitudes]],
      [
        [8, 9, 1],
        [47, 48, 2],
      ],
    );
  });

  it('the places of points in the grid are computed for others, too, when the one who asked first has left', async () => {
    const layer = await buildMapLayer(table, new Turns());
    assert.ok(layer.kind === 'points');
    const left = { isOver: true, next: () => Promise.reject(new Error('The connection was cut off.')) };
    const first = layer.ys(left as unknown as Turns);
    const others = [layer.ys(new Turns()), layer.ys(new Turns())];
    await assert.rejects(first, /cut off/);
    const [one, other] = await Promise.all(others);
    assert.equal(one?.length, 300);
    assert.equal(one, other);
  });
});
