import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Papa from 'papaparse';
import { csvtText } from '../../../src/data/formats/csv/columns.ts';
import type { RowsInput, WriteOptions } from '../../../src/data/formats/types.ts';
import { toWkt } from '../../../src/data/geometry/wkt.ts';
import { anyCharacter } from '../../support/characters.ts';
import { ingestPayload } from '../support/payloads.ts';
import { awkwardTexts, geometries, point, table, type Written, written } from '../support/written.ts';

const places: Written[] = [
  { geometry: point(1.5, -2), values: { name: 'One', size: 3 } },
  { geometry: null, values: { name: null, size: null } },
];
const types = { name: 'string', size: 'integer' } as const;
const csv = (input: RowsInput, options?: WriteOptions) => written('csv', input, options);
const cell = async (
  value: Written['values'][string],
  options?: WriteOptions,
  type: 'string' | 'integer' = 'string',
) => {
  const text = await csv(
    table({ a: type, b: 'string' }, [{ values: { a: value, b: 'z' } }], { hasGeometry: false }),
    options,
  );
  assert.ok(text.startsWith('a,b\r\n') && text.endsWith(',z\r\n'));
  return text.slice(5, -4);
};

describe('csv', () => {
  test('has a header and ends lines with CRLF', async () => {
    assert.equal(await csv(table(types, places, { hasGeometry: false })), 'name,size\r\nOne,3\r\n,\r\n');
    assert.equal(await csv(table(types, [], { hasGeometry: false })), 'name,size\r\n');
  });

  test('writes each value as briefly as it can be read', async () => {
    assert.equal(await cell(null), '');
    assert.equal(await cell(''), '""');
    assert.equal(await cell('a b'), 'a b');
    assert.equal(await cell('a,b'), '"a,b"');
    assert.equal(await cell('a "b"'), '"a ""b"""');
    assert.equal(await cell('a\r\nb'), '"a\r\nb"');
    assert.equal(await cell('日本 🎉'), '日本 🎉');
    assert.equal(await cell(true), 'true');
    assert.equal(await cell(-0.5), '-0.5');
    assert.equal(await cell(Number.NaN), '');
    assert.equal(await cell(Number.POSITIVE_INFINITY), 'inf');
    assert.equal(await cell(Number.NEGATIVE_INFINITY), '-inf');
    assert.equal(await cell([1, 'x']), '"[1,""x""]"');
    assert.equal(await cell({ a: null }), '"{""a"":null}"');
  });

  test('has points as longitude and latitude where all are known to be points', async () => {
    assert.equal(
      await csv(table(types, places, { geometryKinds: ['Point'] })),
      'longitude,latitude,name,size\r\n1.5,-2,One,3\r\n,,,\r\n',
    );
    const rows = [
      { geometry: point(1, 2, 3), values: {} },
      { geometry: point(4, 5), values: {} },
      { geometry: point(), values: {} },
    ];
    const kinds = ['Point', 'Point Z'] as const;
    assert.equal(
      await csv(table({}, rows, { geometryKinds: kinds })),
      'longitude,latitude,altitude\r\n1,2,3\r\n4,5,\r\n,,\r\n',
    );
  });

  test('has other geometries, and those of unknown kind, as WKT', async () => {
    const expected = ['geometry', ...geometries.map(toWkt)];
    for (const geometryKinds of [undefined, [], ['Point', 'Polygon']] as const) {
      const input = table(
        {},
        geometries.map((geometry) => ({ geometry, values: {} })),
        { geometryKinds },
      );
      assert.deepEqual(Papa.parse<string[]>(await csv(input), { skipEmptyLines: true }).data.flat(), expected);
    }
  });

  test('refuses a polygon where all geometries should be points', async () => {
    const polygon = geometries.find(({ type }) => type === 'Polygon') ?? null;
    await assert.rejects(csv(table({}, [{ geometry: polygon, values: {} }], { geometryKinds: ['Point'] })), /no place/);
  });

  test('puts the geometry where it is selected, and leaves columns their names', async () => {
    const header = async (input: RowsInput) => (await csv(input)).split('\r\n')[0];
    assert.equal(await header(table(types, [], { fields: ['size', 'geometry'] })), 'size,geometry');
    const points = { geometryKinds: ['Point'] } as const;
    assert.equal(
      await header(table(types, [], { fields: ['size', 'geometry', 'name'], ...points })),
      'size,longitude,latitude,name',
    );
    assert.equal(await header(table(types, [], { fields: ['size'], ...points })), 'size');
    assert.equal(
      await header(table({ longitude: 'float', latitude: 'float' }, [], points)),
      'geometry,longitude,latitude',
    );
    assert.equal(await header(table({ longitude: 'float' }, [], points)), 'geometry,longitude');
    assert.equal(await header(table({ ' Latitude': 'string' }, [], points)), 'geometry, Latitude');
    assert.equal(csvtText(table({ latitude: 'float' }, [], points)), '"WKT","Real"\r\n');
    assert.equal(
      await header(table({ geometry: 'string', geometry_1: 'string' }, [])),
      'geometry_2,geometry,geometry_1',
    );
  });

  test('has points once if they were made from longitude and latitude', async () => {
    const degrees = { name: 'string', longitude: 'float', latitude: 'float' } as const;
    const rows = [
      { geometry: point(1.5, -2), values: { name: 'One', longitude: 1.5, latitude: -2 } },
      // A row that has no point keeps what it has.
      { geometry: null, values: { name: 'Two', longitude: 999, latitude: 0 } },
    ];
    const made = { geometryKinds: ['Point'], pointColumns: ['longitude', 'latitude'] } as const;
    const input = (more: object = {}) => table(degrees, rows, { ...made, ...more });
    assert.equal(await csv(input()), 'name,longitude,latitude\r\nOne,1.5,-2\r\nTwo,999,0\r\n');
    assert.equal(csvtText(input()), '"String","CoordX","CoordY"\r\n');
    const header = async (more: object) => (await csv(input(more))).split('\r\n')[0];
    assert.equal(await header({ fields: ['name', 'geometry'] }), 'name,longitude,latitude');
    assert.equal(await header({ fields: ['geometry', 'latitude'] }), 'longitude,latitude_1,latitude');
    // Whoever reads CSV of ours finds points under these names, whatever theirs are.
    const others = table({ lon: 'float', lat: 'float' }, [], { ...made, pointColumns: ['lon', 'lat'] });
    assert.equal((await csv(others)).trim(), 'longitude,latitude,lon,lat');
  });

  test('writes U+FFFD for U+0000, which makes a file that is no text to most readers', async () => {
    assert.equal(await cell('a\0b'), 'a\ufffdb');
    assert.equal(await cell('"\0'), '"""\ufffd"');
    assert.equal(await cell(`\0${'x'.repeat(300)}`), `\ufffd${'x'.repeat(300)}`);
    const rows = [{ values: { 'a\0': 1, '1\0': 2 } }];
    const header = table({ 'a\0': 'integer', '1\0': 'integer' }, rows, { hasGeometry: false });
    assert.equal(await csv(header), 'a\ufffd,"1\ufffd"\r\n1,2\r\n');
    const { table: read } = await ingestPayload('{"a":"x\\u0000y"}\n', 'a.ndjson');
    const text = await csv({ name: 'a', schema: read.schema, rows: read.scan() });
    assert.equal(text, 'a\r\nx\ufffdy\r\n');
  });

  test('never leaves a line empty', async () => {
    const rows = [{ values: { a: null } }, { values: { a: '' } }, { values: { a: 'x' } }];
    assert.equal(await csv(table({ a: 'string' }, rows, { hasGeometry: false })), 'a\r\n""\r\n""\r\nx\r\n');
  });

  test('takes another separator, and a byte order mark', async () => {
    const rows = [{ values: { a: 'x;y', b: 'x,y' } }];
    const input = () => table({ a: 'string', b: 'string' }, rows, { hasGeometry: false });
    assert.equal(await csv(input(), { separator: ';', bom: true }), '\ufeffa;b\r\n"x;y";x,y\r\n');
    assert.equal(await csv(input(), { separator: '\t' }), 'a\tb\r\nx;y\tx,y\r\n');
    for (const separator of ['', ',,', '"', '\n', 'é']) await assert.rejects(csv(input(), { separator }), RangeError);
  });

  test('makes formulas harmless for spreadsheets, and leaves numbers alone', async () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])
      assert.equal(await cell(text, { excel: true }), `'${text}`);
    assert.equal(await cell('\r=1', { excel: true }), '"\'\r=1"');
    assert.equal(await cell('=A1,"', { excel: true }), `"'=A1,"""`);
    assert.equal(await cell('a=1', { excel: true }), 'a=1');
    assert.equal(await cell(-1, { excel: true }), '-1');
    assert.equal(await cell('-9007199254740993', { excel: true }, 'integer'), '-9007199254740993');
    assert.equal(await cell('=1+1'), '=1+1');
    const header = table({ '=cmd': 'string', '-1': 'string' }, [], { hasGeometry: false });
    assert.equal(await csv(header, { excel: true }), `'=cmd,"'-1"\r\n`);
  });

  test('reads back as it was, with whatever separator', async () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...awkwardTexts));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: text, b: text }), { maxLength: 6 }),
        fc.constantFrom(',', ';', '\t', '|'),
        async (some, separator) => {
          const input = table(
            { a: 'string', b: 'string' },
            some.map((values) => ({ values })),
            { hasGeometry: false },
          );
          const { data } = Papa.parse<string[]>(await csv(input, { separator }), {
            delimiter: separator,
            newline: '\r\n',
          });
          const read = some.map(({ a, b }) => [a, b].map((one) => one.replaceAll('\0', '\ufffd')));
          assert.deepEqual(data, [['a', 'b'], ...read, ['']]);
        },
      ),
    );
  });
});

describe('csvt and prj', () => {
  test('name the type of each column of the CSV', async () => {
    const all = {
      a: 'integer',
      b: 'float',
      c: 'string',
      d: 'boolean',
      e: 'date',
      f: 'datetime',
      g: 'time',
      h: 'object',
      i: 'array',
    } as const;
    assert.equal(
      await written('csvt', table(all, [])),
      '"WKT","Integer64","Real","String","Integer(Boolean)","Date","DateTime","Time","String","String"\r\n',
    );
    assert.equal(
      await written('csvt', table(types, [], { geometryKinds: ['Point'] })),
      '"CoordX","CoordY","String","Integer64"\r\n',
    );
    assert.equal(
      await written('csvt', table({}, [], { geometryKinds: ['Point Z'] })),
      '"CoordX","CoordY","CoordZ"\r\n',
    );
    assert.equal(await written('csvt', table(types, [], { fields: ['size'] })), '"Integer64"\r\n');
  });

  test('name the coordinate reference system', async () => {
    assert.match(await written('prj', table(types, [])), /^GEOGCS\["WGS 84",.*AUTHORITY\["EPSG","4326"\]\]\n$/);
  });
});
