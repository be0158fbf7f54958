/** Rows that are read from their bytes, and stored in compact forms, beside the same rows read and stored one value at a time. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PayloadError } from '../../../src/data/errors.ts';
import { cellsToArray } from '../../../src/data/formats/cells.ts';
import { readCsv } from '../../../src/data/formats/csv/reader.ts';
import { DecimalScanner } from '../../../src/data/formats/decimal-scanner.ts';
import { JsonBatchBuilder } from '../../../src/data/formats/json/batch-builder.ts';
import { ItemScanner } from '../../../src/data/formats/json/item-scanner.ts';
import { Points } from '../../../src/data/formats/points.ts';
import type { PayloadInfo, RowBatch } from '../../../src/data/formats/types.ts';
import { writeRows } from '../../../src/data/formats/write-rows.ts';
import { TableBuilder } from '../../../src/data/ingest/table-builder.ts';
import type { Row } from '../../../src/data/row.ts';
import { ColumnarWriter } from '../../../src/data/table/columnar-copy.ts';
import { anyCharacter } from '../../support/characters.ts';
import { ingestPayload, temporaryFolder } from '../support/payloads.ts';
import { bytesOf } from '../support/written.ts';

/** Values of columns as people have them: most of one kind, some of others. */
const kinds = {
  integers: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  floats: fc.oneof(
    fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1000),
    fc.double({ noNaN: true }),
  ),
  special: fc.constantFrom(-0, 1e21, 1e-9, 9007199254740991, 0.1, 123456789.12345679),
  words: fc.constantFrom(
    '',
    'oak',
    'café',
    '中山路',
    '😀',
    '\uE000',
    '\uFFFD',
    'true',
    'say "hi"',
    'back\\slash',
    'two\nlines',
  ),
  names: fc.integer({ min: 0, max: 1e7 }).map((n) => `Place number ${n}`),
  texts: fc.string({ unit: anyCharacter, maxLength: 300 }),
  numerals: fc.constantFrom(
    '1',
    '-2.50',
    ' 4',
    '.5',
    '1.',
    '1e3',
    'nan',
    'inf',
    '-0',
    '007',
    '12345678901234567',
    '12,5',
    '1.234,5',
  ),
  dates: fc.constantFrom(
    '2024-02-28',
    '2024-02-29',
    '2024-02-30',
    '0001-01-01',
    '31.12.2024',
    '2024-01-01T10:00:00+02:00',
    '10:30',
  ),
  codes: fc.integer({ min: 0, max: 99999 }).map((n) => String(n).padStart(5, '0')),
  booleans: fc.boolean(),
  nulls: fc.constant(null),
  nested: fc.constantFrom({ a: 1 }, [1, 2], []),
};
const anyKind = fc.constantFrom(...Object.values(kinds));
const column = fc.tuple(anyKind, anyKind, fc.constantFrom(0, 0, 0.01, 0.3));

const point = fc
  .tuple(fc.integer({ min: -180_000_000, max: 180_000_000 }), fc.integer({ min: -90_000_000, max: 90_000_000 }))
  .map(([x, y]) => ({ type: 'Point', coordinates: [x / 1e6, y / 1e6] }));
const geometry = fc.oneof(
  point,
  fc.constantFrom<unknown>(
    null,
    { type: 'Point', coordinates: [] },
    { type: 'Point', coordinates: [1, 2, 3] },
    { coordinates: [3, 4], type: 'Point' },
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
  ),
);

/** Tables of random columns: rows of values. */
const table = fc
  .record({ columns: fc.array(column, { minLength: 1, maxLength: 4 }), rows: fc.integer({ min: 0, max: 60 }) })
  .chain(({ columns, rows }) => {
    const cells = columns.map(([main, other, share]) =>
      fc
        .tuple(
          fc.double({ min: 0, max: 1, noNaN: true }),
          main as fc.Arbitrary<unknown>,
          other as fc.Arbitrary<unknown>,
        )
        .map(([random, first, second]) => (random < share ? second : first)),
    );
    return fc.array(fc.tuple(...cells), { minLength: rows, maxLength: rows });
  });

const newInfo = (textual: boolean): PayloadInfo => ({ textual, passthrough: null, reading: {} });

/** A batch with one array of values for each column, and objects as geometries. */
const plain = (batch: RowBatch): RowBatch => ({
  ...batch,
  values: batch.values.map(cellsToArray),
  geometries: batch.geometries instanceof Points ? batch.geometries.toArray() : batch.geometries,
});

/** What a batch says, row by row. */
const contents = (batch: RowBatch) => ({
  names: batch.names,
  rows: Array.from({ length: batch.rows }, (_, row) => ({
    values: batch.values.map((cells) => cellsToArray(cells)[row] ?? null),
    geometry: (plain(batch).geometries as readonly unknown[] | null)?.[row] ?? null,
    id: batch.ids?.[row],
    bytes: [batch.rowOffsets?.offsets[row], batch.rowOffsets?.lengths[row]],
    line: batch.errorAt(row, '').line,
  })),
});

/** The files of the columnar copy and the statistics of batches. */
async function stored(batches: readonly RowBatch[], info: PayloadInfo): Promise<unknown> {
  const folder = temporaryFolder();
  const copy = await ColumnarWriter.create(folder);
  try {
    const builder = new TableBuilder(info, copy);
    for (const batch of batches) await builder.addBatch(batch);
    const { table: columns, statistics, remarks, nextSettings } = builder.summary();
    const path = await copy.finish({ ...columns, checksum: 'x', passthrough: null }, 'copy');
    const files = readdirSync(path).map((name) => [name, readFileSync(join(path, name)).toString('latin1')]);
    return { files, statistics, remarks, again: [...nextSettings].map(([key, { asText }]) => [key, asText]) };
  } catch (error) {
    await copy.abort();
    return String(error);
  }
}

async function assertStoredAlike(batches: readonly RowBatch[], info: PayloadInfo): Promise<void> {
  assert.deepEqual(await stored(batches, { ...info }), await stored(batches.map(plain), { ...info }));
}

/** Reads items, as many at a time as a part has bytes. @param isByTemplate true to read by templates where they match */
function readItems(
  text: string,
  size: number,
  layout: 'features' | 'lines',
  isByTemplate: boolean,
): RowBatch | string | null {
  const builder = new JsonBatchBuilder(layout === 'features' ? newInfo(false) : undefined);
  const scanner = new ItemScanner(layout);
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size)
      scanner.push(bytes.subarray(at, at + size), builder.addItem.bind(builder), isByTemplate ? builder : undefined);
    scanner.end();
    return builder.takeBatch();
  } catch (error) {
    return error instanceof PayloadError ? `${error.message} ${error.line} ${error.byte}` : String(error);
  }
}

async function assertReadAlike(text: string, size: number, layout: 'features' | 'lines'): Promise<void> {
  const [byTemplate, parsed] = [true, false].map((isByTemplate) => readItems(text, size, layout, isByTemplate));
  if (typeof parsed === 'string' || !parsed || typeof byTemplate === 'string' || !byTemplate)
    return assert.deepEqual(byTemplate, parsed);
  assert.deepEqual(contents(byTemplate), contents(parsed));
  await assertStoredAlike([byTemplate], newInfo(false));
}

/** A fault in the middle of a text. */
const fault = fc.option(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    put: fc.constantFrom('"', '\\', '\u0001', '0', '-', '}', ',', 'NaN', 'e5', '\n', ' '),
  }),
  { freq: 4 },
);
const withFault = (text: string, broken: { at: number; put: string } | null) => {
  const at = broken ? Math.floor(broken.at * text.length) : 0;
  return broken ? text.slice(0, at) + broken.put + text.slice(at) : text;
};

describe('items of JSON', () => {
  it('are the same by template and parsed, also with faults', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.infiniteStream(geometry),
        fc.record({
          indent: fc.constantFrom(undefined, 1),
          id: fc.constantFrom('none', 'number', 'text', 'both'),
          plainPoints: fc.boolean(),
        }),
        fc.integer({ min: 200, max: 20_000 }),
        fault,
        async (rows, geometries, { indent, id, plainPoints }, size, broken) => {
          const features = rows.map((values, row) => ({
            type: 'Feature',
            ...(id === 'none' ? {} : { id: id === 'number' || (id === 'both' && row % 3) ? row : `f${row}` }),
            properties: Object.fromEntries(values.map((value, i) => [`column ${i}`, value])),
            geometry: plainPoints ? { type: 'Point', coordinates: [row, row / 7] } : geometries.next().value,
          }));
          const text = JSON.stringify({ type: 'FeatureCollection', features }, null, indent);
          await assertReadAlike(withFault(text, broken), size, 'features');
          const lines = rows.map((values) =>
            JSON.stringify(Object.fromEntries(values.map((value, i) => [`c"${i}`, value]))),
          );
          await assertReadAlike(withFault(lines.join('\n'), broken), size, 'lines');
        },
      ),
      { numRuns: 75 },
    );
  });

  it('change their form and are still read: other members, escapes, exponents, other geometries', async () => {
    const item = (n: number) =>
      `{"type":"Feature","properties":{"a":${n},"b":"x${n}"},"geometry":{"type":"Point","coordinates":[${n},1.5]}}`;
    const odd = [
      '{"type":"Feature","properties":{"b":"y","a":1},"geometry":null}',
      '{"type":"Feature","properties":{"a":1e3,"b":"\\u00e9"},"geometry":{"type":"Point","coordinates":[1e1,1]}}',
      '{"type":"Feature","properties":{"a":12345678901234567890,"b":null},"geometry":{"type":"Point","coordinates":[1,2,3]}}',
      '{"type":"Feature","properties":{"a":true,"b":7},"geometry":{"type":"Point","coordinates":[-0,-0.0]}}',
      '{"type":"Feature","properties":{"a":-0,"b":""},"bbox":[1,2,3,4],"geometry":{"type":"Point","coordinates":[1,2]}}',
      '{"type":"Feature","properties":{"a":{"deep":[1]},"c":"new"},"geometry":{"type":"Point","coordinates":[]}}',
      '{"properties":{"a":1},"geometry":null}',
      '{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[1,2],"crs":"EPSG:4326"}}',
    ];
    for (const each of odd) {
      const items = [1, 2, 3].map(item).concat(each, [4, 5].map(item), each, item(6));
      await assertReadAlike(`{"features":[\n${items.join(',\n')}\n]}`, 1 << 16, 'features');
    }
  });
});

async function csvBatches(
  chunks: readonly string[],
): Promise<{ batches: RowBatch[]; info: PayloadInfo; error?: string }> {
  const info = newInfo(true);
  const batches: RowBatch[] = [];
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  try {
    for await (const batch of readCsv(bytes(), info)) batches.push(batch);
  } catch (error) {
    return {
      batches: [],
      info,
      error: error instanceof PayloadError ? `${error.message} ${error.line}` : String(error),
    };
  }
  return { batches, info };
}

describe('rows of CSV', () => {
  it('are the same scanned and parsed, also with faults', async () => {
    const written = (value: unknown, separator: string, isQuoted: boolean) => {
      const text =
        value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value).replaceAll('\0', '');
      return isQuoted || /["\n\r]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.record({
          separator: fc.constantFrom(',', ';', '\t', '|'),
          end: fc.constantFrom('\n', '\r\n'),
          isQuoted: fc.boolean(),
        }),
        fc.array(
          fc.constantFrom('', ',', 'a', '"x"y', 'a"b', '"q" ', '1,2,3,4,5,6,7', ' ', '\r', '""', '"x\r"', '"x\ny\r"'),
          {
            maxLength: 1,
          },
        ),
        fc.integer({ min: 1, max: 3000 }),
        async (rows, { separator, end, isQuoted }, odd, size) => {
          const line = (values: readonly unknown[]) =>
            values.map((value) => written(value, separator, isQuoted)).join(separator);
          const width = rows[0]?.length ?? 1;
          const head = [...Array.from({ length: width }, (_, i) => `column ${i}`), 'lon', 'lat'].join(separator);
          // The first 64 kB are parsed in any case: they decide on separator and line breaks.
          const filler = Array.from({ length: width }, () => 'x'.repeat(66_000 / width))
            .concat('1', '2')
            .join(separator);
          const body = rows.map((values, row) => line([...values, row % 9 === 5 ? 'none' : row - 30, row / 4]));
          body.splice(Math.floor(body.length / 2), 0, ...odd);
          const start = `${head}${end}${filler}${end}`;
          const rest = body.map((each) => each + end).join('');
          const parts = Array.from({ length: Math.ceil(rest.length / size) }, (_, i) =>
            rest.slice(i * size, (i + 1) * size).toWellFormed(),
          );
          const [scanned, parsed] = await Promise.all([
            csvBatches([start, ...parts]),
            csvBatches([start + parts.join('')]),
          ]);
          assert.deepEqual(scanned.error, parsed.error);
          assert.deepEqual(scanned.info, parsed.info);
          assert.deepEqual(scanned.batches.map(contents), parsed.batches.map(contents));
          await assertStoredAlike(scanned.batches, scanned.info);
        },
      ),
      {
        numRuns: 60,
        // White space behind a quote at the end of a chunk.
        examples: [4, 5, 6, 7].map((size) => [
          Array.from({ length: 58 }, (_, i) => [-1, i % 7]),
          { separator: ',', end: '\r\n', isQuoted: true },
          ['"q" '],
          size,
        ]) as never,
      },
    );
  });
});

it('decimal numbers are read as JavaScript reads them', () => {
  const scanner = new DecimalScanner();
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom('', '-'), digits, fc.option(digits), (sign, whole, fraction) => {
      const text = `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`;
      const bytes = Buffer.from(`x${text}y`);
      const end = scanner.scan(bytes, 1, bytes.length - 1);
      if (end === -1) assert.ok(whole === '' || whole.length > 15 || /^0\d/.test(whole));
      else assert.ok(end === bytes.length - 1 && Object.is(scanner.number, Number(text)));
    }),
  );
});

it('text that begins with booleans has as many distinct values as texts', async () => {
  const head = `a\n${'true\n'.repeat(3)}`;
  const { result } = await ingestPayload(`${head}oak\nfalse\n`, 'a.csv');
  assert.equal(result.statistics[0]?.distinct, 3);
});

it('rows are written alike from the bytes of a table and from their values', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.infiniteStream(geometry), async (rows, geometries) => {
      const features = rows.map((values, row) => ({
        type: 'Feature',
        id: row,
        properties: Object.fromEntries(values.map((value, i) => [`column ${i}`, value])),
        geometry: geometries.next().value,
      }));
      const { table: stored } = await ingestPayload(
        JSON.stringify({ type: 'FeatureCollection', features }),
        'a.geojson',
      );
      const { schema, geometryKinds } = stored;
      async function* values(): AsyncGenerator<Row> {
        for await (const row of stored.scan())
          yield {
            value: (i) => row.value(i),
            geometry: () => row.geometry(),
            bbox: () => row.bbox(),
            id: () => row.id(),
          };
      }
      for (const format of ['csv', 'ndjson', 'geojson', 'objects'] as const)
        for (const excel of [false, true]) {
          const input = { name: 'a', schema, geometryKinds };
          const fromTable = await bytesOf(
            writeRows(format, { ...input, rows: { groups: stored.scanRowGroups() } }, { excel }),
          );
          const fromValues = await bytesOf(writeRows(format, { ...input, rows: values() }, { excel }));
          assert.equal(fromTable.toString(), fromValues.toString());
        }
    }),
    { numRuns: 30 },
  );
});
