import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isFileFormat, outputFormats, type StreamedFormatName } from '../../../src/catalogue/output-formats.ts';
import { writeRows } from '../../../src/data/formats/write-rows.ts';
import type { Row, TableSchema } from '../../../src/data/row.ts';
import { bytesOf, point } from '../support/written.ts';

const schema: TableSchema = {
  hasGeometry: true,
  columns: [
    { name: 'n', type: 'integer' },
    { name: 's', type: 'string' },
  ],
};
const withRows = (Object.keys(outputFormats) as (keyof typeof outputFormats)[]).filter(
  (name): name is StreamedFormatName => name !== 'csvt' && name !== 'prj' && !isFileFormat(name),
);

/** Rows that count how many were read, and notice when reading ends. */
class Source {
  read = 0;
  ended = false;
  readonly count: number;
  readonly failAt: number;
  constructor(count: number, failAt = Infinity) {
    this.count = count;
    this.failAt = failAt;
  }
  *rows(): Generator<Row> {
    const row: Row = {
      value: (column) => (column === 0 ? this.read : `row ${this.read} of many`),
      geometry: () => point(this.read / 1000, 1),
      bbox: () => null,
      id: () => this.read,
    };
    try {
      for (; this.read < this.count; this.read++) {
        if (this.read === this.failAt) throw new Error('the disk is gone');
        yield row;
      }
    } finally {
      this.ended = true;
    }
  }
  async *rowsLater(): AsyncGenerator<Row> {
    for (const row of this.rows()) {
      if (this.read % 1000 === 0) await turn();
      yield row;
    }
  }
}

const write = (format: StreamedFormatName, rows: Iterable<Row> | AsyncIterable<Row>) =>
  writeRows(format, { name: 'many', schema, rows });

for (const format of withRows) {
  describe(format, () => {
    test('comes in chunks of bounded size, each of which stays as it was', async () => {
      const chunks: Uint8Array[] = [];
      const copies: Buffer[] = [];
      for await (const chunk of write(format, new Source(50_000).rows())) {
        chunks.push(chunk);
        copies.push(Buffer.from(chunk));
      }
      assert.ok(chunks.length > 2);
      assert.ok(chunks.every((chunk) => chunk.length <= 1 << 18));
      assert.ok(chunks.every((chunk, i) => copies[i]?.equals(chunk)));
    });

    test('is the same from rows that have to be awaited', async () => {
      const now = await bytesOf(write(format, new Source(30_000).rows()));
      const later = await bytesOf(write(format, new Source(30_000).rowsLater()));
      assert.ok(now.equals(later));
    });

    test('reads no further than the consumer requests', async () => {
      const source = new Source(300_000);
      const chunks = write(format, source.rows());
      assert.equal(source.read, 0);
      // A row group's worth of rows, or a chunk's worth of text.
      const perChunk = format === 'parquet' ? 1 << 14 : 3000;
      for (let asked = 1; asked <= 5; asked++) {
        await chunks.next();
        await turn();
        assert.ok(source.read <= asked * perChunk, `${source.read} rows for ${asked} chunks`);
      }
      await chunks.return();
    });

    test('waits for a slow reader of a stream, with little in memory', async () => {
      const source = new Source(100_000);
      let made = 0;
      let arrived = 0;
      let ahead = 0;
      let memory = 0;
      const before = process.memoryUsage().rss;
      async function* counted() {
        for await (const chunk of write(format, source.rows())) {
          made++;
          yield chunk;
        }
      }
      const slow = new Writable({
        highWaterMark: 1 << 16,
        write(_chunk, _encoding, done) {
          arrived++;
          ahead = Math.max(ahead, made - arrived);
          memory = Math.max(memory, process.memoryUsage().rss - before);
          if (arrived % 8 === 0) setTimeout(done, 5);
          else done();
        },
      });
      await pipeline(Readable.from(counted()), slow);
      assert.equal(source.read, 100_000);
      assert.ok(ahead <= 4, `${ahead} chunks ahead`);
      assert.ok(memory < 200e6, `${memory} bytes more`);
    });

    test('ends the rows when the reader leaves early', async () => {
      const source = new Source(300_000);
      const chunks = write(format, source.rows());
      await chunks.next();
      assert.equal(source.ended, false);
      await chunks.return();
      assert.equal(source.ended, true);
      const later = new Source(300_000);
      for await (const _ of write(format, later.rowsLater())) break;
      assert.equal(later.ended, true);
      assert.ok(later.read < 40_000);
    });

    test('fails when the rows fail, without the end of the document', async () => {
      const whole = await bytesOf(write(format, new Source(40_000).rows()));
      for (const rows of [new Source(40_000, 39_999).rows(), new Source(40_000, 39_999).rowsLater()]) {
        const parts: Uint8Array[] = [];
        await assert.rejects(async () => {
          for await (const chunk of write(format, rows)) parts.push(chunk);
        }, /the disk is gone/);
        const part = Buffer.concat(parts);
        assert.ok(part.length < whole.length);
        assert.ok(part.equals(whole.subarray(0, part.length)));
      }
    });

    test('fails before the first byte when the first rows fail', async () => {
      await assert.rejects(write(format, new Source(10, 5).rows()).next(), /the disk is gone/);
    });
  });
}

describe('rows of thousands of columns', () => {
  const names = Array.from({ length: 3_000 }, (_, column) => `column ${column}`);
  const wide: TableSchema = { hasGeometry: true, columns: names.map((name) => ({ name, type: 'integer' })) };
  const all = [0, 1, 2, 3, 4].map((row) => names.map((_, column) => (column % 7 === 0 ? null : row * column)));
  const values = (row: number) => all[row] ?? [];
  function* rows(): Generator<Row> {
    let at = 0;
    const row: Row = {
      value: (column) => values(at)[column] ?? null,
      geometry: () => point(at, 1),
      bbox: () => null,
      id: () => at,
    };
    for (; at < 5; at++) yield row;
  }
  const written = (format: StreamedFormatName) => writeRows(format, { name: 'wide', schema: wide, rows: rows() });
  const geometry = (row: number) => ({ type: 'Point', coordinates: [row, 1] });
  const members = (row: number) => names.map((name, column) => [name, values(row)[column]]);
  const features = [0, 1, 2, 3, 4].map((id) => {
    const properties = Object.fromEntries(members(id));
    return { type: 'Feature', id, geometry: geometry(id), properties };
  });
  const objects = [0, 1, 2, 3, 4].map((id) => Object.fromEntries([['geometry', geometry(id)], ...members(id)]));
  const textOf = async (format: StreamedFormatName) => (await bytesOf(written(format))).toString();
  const lines = (text: string) => text.trimEnd().split('\n');

  test('are whole in each format of JSON', async () => {
    assert.deepEqual(JSON.parse(await textOf('geojson')).features, features);
    assert.deepEqual(JSON.parse(await textOf('json')), features);
    assert.deepEqual(JSON.parse(await textOf('objects')), objects);
    assert.deepEqual(
      lines(await textOf('ndjson')).map((line) => JSON.parse(line)),
      objects,
    );
    assert.deepEqual(
      lines(await textOf('geojsonl')).map((line) => JSON.parse(line)),
      features,
    );
  });

  test('are whole in CSV', async () => {
    const expected = [names, ...[0, 1, 2, 3, 4].map(values)].map((cells) => cells.map((cell) => cell ?? '').join(','));
    const found = (await textOf('csv')).split('\r\n').map((line) => line.replace(/^[^,]*POINT[^,]*,|^geometry,/, ''));
    assert.deepEqual(found, [...expected, '']);
  });

  test('come in chunks that are shorter than a row', async () => {
    let [chunks, longest] = [0, 0];
    for await (const { length } of written('geojson')) [chunks, longest] = [chunks + 1, Math.max(longest, length)];
    assert.ok(chunks > 1);
    assert.ok(longest < (1 << 16) + (1 << 14), `${longest} bytes`);
  });
});

test('the event loop gets turns while a fast consumer reads', async () => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  const start = performance.now();
  await bytesOf(write('geojson', new Source(400_000).rows()));
  const took = performance.now() - start;
  clearInterval(timer);
  // Once at the least: this machine may be busy with other things.
  assert.ok(longest < took / 2, `${longest} of ${took} ms`);
});

test('the event loop gets turns within a row group of Parquet', async () => {
  const source = new Source(8000);
  async function* groups() {
    yield source.rows();
  }
  const seen: number[] = [];
  const looking = setInterval(() => seen.push(source.read), 0);
  await bytesOf(writeRows('parquet', { name: 'rows', rows: { groups: groups() }, schema }));
  clearInterval(looking);
  assert.ok(
    seen.some((read) => read > 0 && read < source.count),
    `${seen}`,
  );
});

test('csvt and prj read no rows', async () => {
  for (const format of ['csvt', 'prj'] as const) {
    const source = new Source(10);
    assert.ok((await bytesOf(write(format, source.rows()))).length > 0);
    assert.equal(source.read, 0);
  }
});
