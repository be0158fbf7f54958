/** Decimal commas, dates, options for reading, and values that don't fit. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'node:test';
import type { ReadingOptions } from '../../../src/catalogue/types.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { ingestPayload, rowsOf, temporaryFolder, typesOf, valuesOf } from '../support/payloads.ts';
import { zipOf } from '../support/zip.ts';

const read = async (text: string | Uint8Array, reading: ReadingOptions = {}, fileName = 'a.csv') => {
  const { result, table } = await ingestPayload(text, fileName, { reading });
  return { types: typesOf(result), values: await valuesOf(table), remarks: result.remarks, result, table };
};
const points = async (text: string, reading: ReadingOptions = {}) => {
  const { table } = await read(text, reading);
  return (await rowsOf(table)).map(({ geometry }) => (geometry?.type === 'Point' ? geometry.coordinates : null));
};
/** Rows for more than one row group. */
const many = (cell: (n: number) => string, head = 'a;b') =>
  `${head}\n${Array.from({ length: 9000 }, (_, n) => `${cell(n)};x`).join('\n')}\n`;

test('decimal commas and dates are recognized where a whole column fits, and said', async () => {
  const { types, values, remarks } = await read(
    'preis;datum;zeit;menge\n12,5;31.12.2024;1.2.2024 10:30;1\n-0,25;01.02.2023;01.02.2023 9:05:07;2\n;;;3\n',
  );
  assert.deepEqual(types, ['preis:float', 'datum:date', 'zeit:datetime', 'menge:integer']);
  assert.deepEqual(values, [
    [12.5, '2024-12-31', '2024-02-01T10:30:00', 1],
    [-0.25, '2023-02-01', '2023-02-01T09:05:07', 2],
    [null, null, null, 3],
  ]);
  assert.deepEqual(remarks, [
    'Column "preis": read as numbers with decimal commas such as 12,5.',
    'Column "datum": read as dates such as 31.12.2024.',
    'Column "zeit": read as datetimes such as 1.2.2024 10:30.',
  ]);
});

test('dates and times of GDAL and PostgreSQL are recognized', async () => {
  const { types, values, remarks } = await read(
    'd,gdal,zoned,postgres\n' +
      '1969/12/01,2024/07/01 12:00:00,1969/12/31 23:59:59.500+00,2024-01-01 10:00:00+01\n' +
      '2024/02/29,2024/7/1 9:05:07.25,2024/07/01 12:00:00+0530,1969-12-31 23:59:59.123456-03\n' +
      ',,2024/07/01 12:00:00,\n',
  );
  assert.deepEqual(types, ['d:date', 'gdal:datetime', 'zoned:datetime', 'postgres:datetime']);
  assert.deepEqual(values, [
    ['1969-12-01', '2024-07-01T12:00:00', '1969-12-31T23:59:59.500+00:00', '2024-01-01T10:00:00+01:00'],
    ['2024-02-29', '2024-07-01T09:05:07.25', '2024-07-01T12:00:00+0530', '1969-12-31T23:59:59.123456-03:00'],
    [null, null, '2024-07-01T12:00:00', null],
  ]);
  assert.deepEqual(remarks, [
    'Column "d": read as dates such as 1969/12/01.',
    'Column "gdal": read as datetimes such as 2024/07/01 12:00:00.',
    'Column "zoned": read as datetimes such as 1969/12/31 23:59:59.500+00.',
    'Column "postgres": read as datetimes such as 2024-01-01 10:00:00+01.',
  ]);
  const others = ['2023/02/29', '2024/13/01', '2024/12', '2024/1-2', '2024-01-01 10:00:00+24', '2024/01/01 25:00'];
  for (const text of others) assert.deepEqual((await read(`a,b\n${text},x\n`)).types, ['a:string', 'b:string'], text);
  const forced = await read('a,b\n2024-01-01 10:00:00+01,x\nlater,x\n', { types: { a: 'datetime' } });
  assert.deepEqual(forced.values, [
    ['2024-01-01T10:00:00+01:00', 'x'],
    [null, 'x'],
  ]);
});

test('what keeps a column from being one of truth values is said, in few rows and in many', async () => {
  const said = (start: string) => [
    `Column "a": ${start}, "NA"): the column is text. To read the others: --type a=boolean`,
  ];
  const few = await read('a,b\nTRUE,x\nNA,x\nFALSE,x\n');
  assert.deepEqual([few.types[0], few.remarks], ['a:string', said('1 of 3 values is not a boolean (line 3')]);
  const rows = await read(many((n) => (n % 10 === 5 ? 'NA' : n % 2 ? 'true' : 'false')));
  assert.deepEqual(
    [rows.types[0], rows.remarks],
    ['a:string', said('900 of 9000 values are not booleans (first: line 7')],
  );
  const forced = await read('a,b\nTRUE,x\nNA,x\nFALSE,x\n', { types: { a: 'boolean' } });
  assert.deepEqual(
    forced.values.map(([a]) => a),
    [true, null, false],
  );
  for (const text of ['a,b\nTRUE,x\nmaybe,x\n', 'a,b\ntrue,x\nfalse,x\n1,x\n2,x\n', 'a,b\nfine,x\nfalse,x\nword,x\n'])
    assert.deepEqual((await read(text)).remarks, []);
});

test('whole numbers beyond those that are exact are not said to be none', async () => {
  for (const id of ['9007199254740993', '-90071992547409931', '123456789012345678901234567890']) {
    const { types, remarks } = await read(`id,b\n1,x\n2,x\n3,x\n4,x\n${id},x\n`);
    assert.deepEqual([types[0], remarks], ['id:string', []]);
  }
});

test('dates with years of two digits are text, and the formats that may read them are said', async () => {
  for (const [cells, formats, date] of [
    [['31.12.99', '01.02.24'], ['DD.MM.YY'], '1999-12-31'],
    [['12/31/24', '01/02/24'], ['MM/DD/YY'], '2024-12-31'],
    [['01/02/68', '03/04/69'], ['DD/MM/YY', 'MM/DD/YY'], '2068-02-01'],
    [['24-01-31', '23-12-01'], ['DD-MM-YY', 'YY-MM-DD'], '2031-01-24'],
    [['31.12.99 9:30', '01.02.24 10:00'], ['"DD.MM.YY HH:MM"'], '1999-12-31T09:30:00'],
  ] as const) {
    const text = `d;b\n${cells.map((cell) => `${cell};x\n`).join('')}`;
    const options = formats.map((format) => `--date-format ${format}`).join(', or ');
    const reason = `${cells[0]} and the others may be dates with years of two digits`;
    assert.deepEqual((await read(text)).remarks, [`Column "d": text, since ${reason}. To read them: ${options}`]);
    const found = await read(text, { date_format: formats[0].replaceAll('"', '') });
    assert.equal(found.values[0]?.[0], date);
  }
  for (const cells of [['1.2.10', '2.0.11'], ['10.13.14', '01.02.24'], ['31.12.99', '31.12.1999'], ['99/99/99']])
    assert.deepEqual((await read(`d\n${cells.join('\n')}\n`)).remarks, [], String(cells));
});

test('dates whose day or month comes first are text, and the format that reads them is said', async () => {
  for (const [cells, formats, type] of [
    [['12/31/2024', '1/2/2024'], ['MM/DD/YYYY'], 'date'],
    [['31-12-2024', '01-02-2024'], ['DD-MM-YYYY'], 'date'],
    [['01/02/2024', '03/04/2024'], ['DD/MM/YYYY', 'MM/DD/YYYY'], 'date'],
    [['12/31/2024 9:30', '01/02/2024 10:00'], ['"MM/DD/YYYY HH:MM"'], 'datetime'],
    [['31/12/2024 09:30:00', ''], ['"DD/MM/YYYY HH:MM:SS"'], 'datetime'],
  ] as const) {
    for (const many of [1, 9000]) {
      const text = `d;b\n${`${cells.map((cell) => `${cell};x\n`).join('')}`.repeat(many)}`;
      const { types, remarks, values } = await read(text);
      const options = formats.map((format) => `--date-format ${format}`).join(', or ');
      const reason = `dates such as ${cells[0]} may begin with the day or the month`;
      assert.deepEqual(remarks, [`Column "d": text, since ${reason}. To read them: ${options}`]);
      assert.deepEqual([types[0], values[0]?.[0]], ['d:string', cells[0]]);
      for (const format of formats) {
        const found = await read(text, { date_format: format.replaceAll('"', '') });
        assert.equal(found.types[0], `d:${type}`);
        assert.doesNotMatch(String(found.remarks), /text/);
      }
    }
  }
  for (const cells of [
    ['12/31/2024', '31/12/2024'],
    ['12/31/2024', '12-31-2024'],
    ['12/31/2024', '12/31/2024 10:00'],
    ['12/31/2024', 'spring'],
    ['12/31/2024', '5'],
    ['45/31/2024', '1/2/2024'],
  ])
    assert.deepEqual((await read(`d\n${cells.join('\n')}\n`)).remarks, [], String(cells));
  assert.deepEqual((await read('d\n12/31/2024\n', { types: { d: 'string' } })).remarks, []);
  assert.deepEqual((await read(many((n) => (n < 8500 ? '12/31/2024' : String(n))))).remarks, []);
  assert.doesNotMatch(String((await read(many((n) => (n < 8500 ? String(n) : '12/31/2024')))).remarks), /format/);
});

test('numbers that may have points between thousands, beside decimal commas, are said', async () => {
  const rows = 'einwohner;flaeche;dichte;jahr\n1.234;12,5;1.25;1900\n999;3,25;2.250;2000\n';
  const { types, values, remarks } = await read(rows);
  assert.deepEqual(types, ['einwohner:float', 'flaeche:float', 'dichte:float', 'jahr:integer']);
  assert.deepEqual(values[0], [1.234, 12.5, 1.25, 1900]);
  assert.deepEqual(remarks, [
    'Column "flaeche": read as numbers with decimal commas such as 12,5.',
    'Column "einwohner": read with decimal points, although other columns have decimal commas. If the points stand between thousands: --decimal ,',
  ]);
  const meant = await read(rows, { decimal: ',' });
  assert.deepEqual(meant.values[0]?.slice(0, 2), [1234, 12.5]);
  // Of thousands of rows, most are read from their bytes.
  const grouped = many((n) => `${1 + (n % 9)}.500;0,5;0.${100 + (n % 900)}`, 'a;b;c;d');
  const columnsOf = async (text: string) => (await read(text)).remarks.slice(1).map((remark) => remark.slice(0, 11));
  assert.deepEqual(await columnsOf(`${grouped}1.500;0,5;0.75;x\n`), ['Column "a":']);
  assert.deepEqual(await columnsOf(`${grouped}1500;0,5;0.750;x\n`), ['Column "c":']);
});

test('whole numbers with points between thousands are text, which a remark says, and the type that it advises reads them', async () => {
  for (const text of [
    'a;b\n1.234.567;x\n12.345;x\n-999;x\n;x\n',
    many((n) => `${n < 8500 ? '12.345' : '1.234.567'}`),
    many((n) => (n < 8500 ? '12' : '1.234.567')),
  ]) {
    const { types, values, remarks } = await read(text);
    assert.deepEqual([types[0], typeof values[0]?.[0]], ['a:string', 'string']);
    const remark = 'Column "a": text, since 1.234.567 has points between thousands. To read numbers: --type a=integer';
    assert.deepEqual(remarks, [remark]);
    const meant = await read(text, { types: { a: 'integer' } });
    assert.deepEqual([meant.types[0], meant.remarks], ['a:integer', []]);
    assert.deepEqual(
      meant.values.slice(0, 2).map(([a]) => a),
      values.slice(0, 2).map(([a]) => Number(String(a).replaceAll('.', ''))),
    );
  }
  const float = await read('a;b\n1.234.567;x\n12.345;x\nn/a;x\n', { types: { a: 'float' } });
  assert.deepEqual(
    float.values.map(([a]) => a),
    [1234567, 12345, null],
  );
  // Not in dates, versions and codes.
  for (const cells of ['1.2.3;x\n1.2.4', '1.234.567;x\n1.2345', '01.234.567;x\n02.345.678'])
    assert.deepEqual((await read(`a;b\n${cells};x\n`)).remarks, [], cells);
});

test('numbers with commas between thousands are text, which a remark says, and the type that it advises reads them', async () => {
  const cases: readonly [text: string, reason: string, type: 'integer' | 'float', sure: boolean][] = [
    ['a,b\n"1,234,567",x\n"12,345",x\n-999,x\n,x\n', '1,234,567 has commas', 'integer', true],
    ['a,b\n"12,345",x\n999,x\n', '12,345 may have a comma', 'integer', false],
    ['a\tb\n12,345\tx\n1,234,567.5\tx\n', '1,234,567.5 has commas', 'float', true],
    ['a,b\n12.5,x\n"1,234",x\n', '1,234 may have a comma', 'float', false],
    [many((n) => (n < 8500 ? '12.5' : '1,234,567')), '1,234,567 has commas', 'float', true],
  ];
  for (const [text, reason, type, sure] of cases) {
    const { types, values, remarks } = await read(text);
    assert.equal(types[0], 'a:string');
    assert.deepEqual(remarks, [
      `Column "a": text, since ${reason} between thousands. To read numbers: --type a=${type}`,
    ]);
    const meant = await read(text, { types: { a: type } });
    assert.equal(meant.types[0], `a:${type}`);
    assert.deepEqual(
      meant.values.slice(0, 3).map(([a]) => a),
      values.slice(0, 3).map(([a]) => Number(String(a).replaceAll(',', ''))),
    );
    const [example = ''] = reason.split(' ');
    const otherwise = sure ? '' : ' If they are decimal commas: --decimal ,';
    const said = `Column "a": read as numbers with commas between thousands such as ${example}.${otherwise}`;
    assert.deepEqual(meant.remarks, [said]);
  }
  const { values, remarks } = await read('a,b\n"12,345",x\n"1,5",x\n', { types: { a: 'float' } });
  assert.deepEqual([values.map(([a]) => a), remarks.length], [[12.345, 1.5], 1]);
  for (const cells of ['"1,23",x\n"1,234"', '"1,2345",x\n"1,234"', '"01,234",x\n"2,345"', '"1,234",x\n"2,345,x"'])
    assert.ok(!(await read(`a,b\n${cells},x\n`)).remarks.some((remark) => /thousands/.test(remark)), cells);
});

test('numbers with spaces or apostrophes between thousands are text, which a remark says, and the type that it advises reads them', async () => {
  const cases: readonly [text: string, reason: string, type: 'integer' | 'float', values: readonly number[]][] = [
    ['a;b\n1 234 567;x\n12 345;x\n-7;x\n', '1 234 567 has spaces', 'integer', [1234567, 12345, -7]],
    ['a;b\n12 345;x\n7;x\n', '12 345 may have a space', 'integer', [12345, 7]],
    // A number of a company in France, which is a code.
    ['a;b\n732 829 320;x\n552 081 317;x\n', '732 829 320 may have a space', 'integer', [732829320]],
    ['a;b\n732 829 320;x\n1 234 567;x\n', '1 234 567 has spaces', 'integer', [732829320, 1234567]],
    ['a;b\n1\u202f234\u202f567,50;x\n7,25;x\n', '1\u202f234\u202f567,50 has spaces', 'float', [1234567.5, 7.25]],
    ['a\tb\n1\u00a0234,567\tx\n2020\tx\n', '1\u00a0234,567 has spaces', 'float', [1234.567, 2020]],
    ["a;b\n1'234'567;x\n2020;x\n", "1'234'567 has apostrophes", 'integer', [1234567, 2020]],
    ['a;b\n1\u2019234.50;x\n7.25;x\n', '1\u2019234.50 has apostrophes', 'float', [1234.5, 7.25]],
    [many((n) => (n < 8500 ? '2020' : '1 234 567')), '1 234 567 has spaces', 'integer', [2020, 2020]],
  ];
  for (const [text, reason, type, expected] of cases) {
    const { types, remarks } = await read(text);
    assert.equal(types[0], 'a:string');
    const remark = `Column "a": text, since ${reason} between thousands. To read numbers: --type a=${type}`;
    assert.deepEqual(remarks, [remark]);
    const meant = await read(text, { types: { a: type } });
    assert.equal(meant.types[0], `a:${type}`);
    assert.deepEqual(
      meant.values.slice(0, expected.length).map(([a]) => a),
      expected,
    );
  }
  // Not in telephone numbers, codes, and numbers of which some have commas and some have points.
  for (const cells of ['030 123 456;x\n030 123', '1 234 56;x\n1 234', '1 234,5;x\n1 234.5', "1 234;x\n1'234 567"])
    assert.ok(!(await read(`a;b\n${cells};x\n`)).remarks.some((remark) => /thousands/.test(remark)), cells);
});

test('integers with more digits than are kept are said to be too long', async () => {
  const { values, remarks } = await read('a;b\n12345678901234567890;x\n5;x\n', { types: { a: 'integer' } });
  assert.deepEqual(
    values.map(([a]) => a),
    [null, 5],
  );
  assert.match(
    String(remarks),
    /null in such rows\. Integers have at most 15 digits, and some of 16\. To keep all digits: --type a=string$/,
  );
  const other = await read('a;b\nn.n.;x\n5;x\n', { types: { a: 'integer' } });
  assert.match(String(other.remarks), /null in such rows\.$/);
});

test('minus zero beside decimal commas has no point that may stand between thousands', async () => {
  for (const text of ['a;b\n-0;1,5\n2;2,5\n', many((n) => `${n % 2 ? '-0' : 7};1,5`, 'a;b;c')]) {
    const { remarks } = await read(text);
    assert.deepEqual(remarks, ['Column "b": read as numbers with decimal commas such as 1,5.']);
  }
  const { remarks } = await read('a;b\n-0;1,5\n1.234;2,5\n');
  assert.match(String(remarks), /Column "a": read with decimal points/);
});

test('points between thousands belong to decimal commas', async () => {
  const { types, values } = await read('a;b\n1.234,50;x\n12;x\n1.234.567,1;x\n');
  assert.deepEqual(types, ['a:float', 'b:string']);
  assert.deepEqual(
    values.map(([a]) => a),
    [1234.5, 12, 1234567.1],
  );
});

test('numbers with decimal commas may have all digits of a float, an exponent, or no digit before the comma', async () => {
  const { types, values, remarks } = await read(
    'a;b;c\n0,30000000000000004;1,5e-07;,5\n3,14159265358979323846;-2E3;-,25\n-2,25;2,5;1\n',
  );
  assert.deepEqual(types, ['a:float', 'b:float', 'c:float']);
  assert.deepEqual(values, [
    [0.1 + 0.2, 1.5e-7, 0.5],
    [Math.PI, -2000, -0.25],
    [-2.25, 2.5, 1],
  ]);
  assert.equal(remarks.length, 3);
  assert.equal((await read('a;b\n,500;x\n,250;x\n')).values[0]?.[0], 0.5);
  const laterRows = await read(many((n) => (n < 8500 ? '1,5' : `${n},00000000000000001`)));
  assert.deepEqual([laterRows.types[0], laterRows.values[8999]?.[0]], ['a:float', 8999]);
  // A point is either between thousands, or before decimals: neither goes with an exponent beside commas.
  assert.deepEqual((await read('a;b\n1.234e5;x\n1,5;x\n')).types, ['a:string', 'b:string']);
});

test('numbers with more digits than a float has are the nearest floats, if people want floats', async () => {
  for (const reading of [{ types: { a: 'float' } }, { types: { a: 'float' }, decimal: ',' }] as const) {
    const { values, remarks } = await read('a\n12345678901234567890\n1\nx\n', reading);
    assert.deepEqual(values, [[12345678901234567000], [1], [null]]);
    assert.deepEqual(remarks, ['Column "a": 1 of 3 values is not a number (line 4, "x"): null in such rows.']);
  }
  const mixed = await read('a;b\n12345678901234567890,5;x\n1,5;x\n', { types: { a: 'float' } });
  assert.deepEqual(mixed.values[0]?.[0], 12345678901234567000);
  assert.deepEqual((await read('a\n1e400\n1\n', { types: { a: 'float' } })).values, [[null], [1]]);
});

test('blank cells beside decimal commas are missing numbers, in few rows and in many', async () => {
  for (const text of [
    'a;b\n1,5; \n  ;2,5\n',
    many((n) => (n % 9 ? `${n},5` : '  ')),
    many((n) => (n > 8500 ? '  ' : '1,5')),
  ]) {
    const { types, values, remarks } = await read(text);
    assert.equal(types[0], 'a:float');
    assert.equal(values.findLast(([a]) => a === null || a === undefined)?.[0], null);
    assert.ok(remarks.every((remark) => remark.includes('read as numbers with decimal commas')));
  }
  const { remarks } = await read('a\n1\n2\n3\nx\n \n');
  assert.match(String(remarks), /1 of 4 values is not a number \(line 5, "x"\)/);
});

test('blank cells are missing numbers wherever they stand, and stay in columns of text', async () => {
  for (const text of ['a;b\n  ;x\n1;x\n', 'a;b\n1;x\n  ;x\n', many((n) => (n > 8500 ? '1' : '  '))])
    assert.equal((await read(text)).types[0], 'a:integer');
  for (const text of ['a;b\n  ;x\nword;x\n', many((n) => (n > 8500 ? 'word' : '  ')), many(() => '  ')]) {
    const { types, values } = await read(text);
    assert.equal(types[0], 'a:string');
    assert.equal(values[0]?.[0], '  ');
  }
  const dates = await read(many((n) => (n > 8500 ? '2024-02-29' : '  ')));
  assert.deepEqual(dates.values.at(-1), ['2024-02-29', 'x']);
});

test('commas between thousands in English stay text, unless the cells are separated by semicolons', async () => {
  assert.deepEqual((await read('a,b\n"1,234",x\n"5,678",x\n')).types, ['a:string', 'b:string']);
  assert.deepEqual((await read('a,b\n"1,23",x\n"5,678",x\n')).types, ['a:float', 'b:string']);
  assert.deepEqual((await read('a;b\n1,234;x\n5,678;x\n')).types, ['a:float', 'b:string']);
  assert.deepEqual((await read('a;b\n1,234,567;x\n')).types, ['a:string', 'b:string']);
});

for (const [what, text, type, first] of [
  ['a comma behind a row group of whole numbers', many((n) => (n === 8500 ? '1,5' : String(n))), 'float', 0],
  ['a word behind a row group of decimal commas', many((n) => (n === 8500 ? 'n/a' : `${n},5`)), 'string', '0,5'],
  ['a word behind a row group of dates', many((n) => (n === 8500 ? 'n/a' : '31.12.2024')), 'string', '31.12.2024'],
  ['a 31st of February', 'a;b\n31.02.2024;x\n', 'string', '31.02.2024'],
  ['codes', 'a;b\n007;x\n12;x\n', 'string', '007'],
] as const) {
  test(`${what}: the column is ${type}`, async () => {
    const { types, values } = await read(text);
    assert.equal(types[0], `a:${type}`);
    assert.equal(values[0]?.[0], first);
  });
}

test('Latitude;Longitude with decimal commas make points', async () => {
  assert.deepEqual(await points('Name;Latitude;Longitude\na;52,5;13,4\n'), [[13.4, 52.5]]);
});

for (const [option, text, reading, types, values] of [
  ['type', 'a,b\n007,1\n', { types: { a: 'integer', b: 'string' } }, ['a:integer', 'b:string'], [[7, '1']]],
  ['type of truth values', 'a\nja\nnein\n', { types: { a: 'boolean' } }, ['a:boolean'], [[true], [false]]],
  ['decimal ,', 'a,b\n"1,234",1\n', { decimal: ',' }, ['a:float', 'b:integer'], [[1.234, 1]]],
  ['decimal .', 'a;b\n1,5;1\n', { decimal: '.' }, ['a:string', 'b:integer'], [['1,5', 1]]],
  ['date format', 'a\n12/31/2024\n', { date_format: 'MM/DD/YYYY' }, ['a:date'], [['2024-12-31']]],
  [
    'date format of strftime',
    'a\n31.12.24 10:05\n',
    { date_format: '%d.%m.%y %H:%M' },
    ['a:datetime'],
    [['2024-12-31T10:05:00']],
  ],
  ['delimiter', 'a~b\n1~2\n', { delimiter: '~' }, ['a:integer', 'b:integer'], [[1, 2]]],
  [
    'no header',
    '1,x\n2,y\n',
    { header: false },
    ['column_1:integer', 'column_2:string'],
    [
      [1, 'x'],
      [2, 'y'],
    ],
  ],
  ['skip', 'Report of 2024\n\na,b\n1,2\n', { skip: 2 }, ['a:integer', 'b:integer'], [[1, 2]]],
  ['skip, of lines that end in CR', 'Report of 2024\r\ra,b\r1,2\r', { skip: 2 }, ['a:integer', 'b:integer'], [[1, 2]]],
  [
    'skip, of lines that end in CR LF',
    'Report\rof 2024\r\na,b\r\n1,2\r\n',
    { skip: 1 },
    ['a:integer', 'b:integer'],
    [[1, 2]],
  ],
] as const) {
  test(`option ${option}`, async () => {
    const found = await read(text, reading as ReadingOptions);
    assert.deepEqual(found.types, types);
    assert.deepEqual(found.values, values);
  });
}

for (const [what, cell, firsts, misfits] of [
  ['beside other texts', (n: number) => (n % 10 ? `${n},5` : 'n/a'), [null, 1.5], 900],
  ['behind a row group of whole numbers', (n: number) => (n < 8500 ? String(n) : `${n},5`), [0, 1], 0],
  ['behind a row group of points between thousands', (n: number) => (n < 8500 ? '1.234' : `${n},5`), [1234, 1234], 0],
  ['behind a row group of texts', (n: number) => (n < 8500 ? 'n/a' : `${n},5`), [null, null], 8500],
  ['in most rows, and decimal points in few', (n: number) => (n % 10 ? `${n},5` : `${n}.5`), [null, 1.5], 900],
  ['in few rows, and decimal points in most', (n: number) => (n % 10 ? `${n}.5` : `${n},5`), [null, 1.5], 900],
] as const) {
  test(`decimal commas ${what} are read with a type that people set`, async () => {
    const { types, values, remarks } = await read(many(cell), { types: { a: 'float' } });
    assert.deepEqual([types[0], values.slice(0, 2).map(([a]) => a), values.at(-1)?.[0]], ['a:float', firsts, 8999.5]);
    assert.equal(values.filter(([a]) => a === null).length, misfits);
    const isComma = !what.includes('points in most');
    assert.match(
      remarks.join('\n'),
      new RegExp(
        `^${isComma ? 'Column "a": read as numbers with decimal commas such as \\d+,5\\.' : ''}` +
          `${misfits > 0 ? `\n?Column "a": ${misfits} of 9000 values are not.*` : ''}$`,
      ),
    );
  });
}

test('the type that a remark about decimal commas advises reads the others', async () => {
  for (const text of ['a;b\n1,5;x\n2,25;x\nn/a;x\n', 'a,b\n"1,5",x\nn/a,x\n"2,25",x\n']) {
    assert.match(String((await read(text)).remarks), /1 of 3 values is not a number .* --type a=float/);
    const { values, remarks } = await read(text, { types: { a: 'float' } });
    assert.deepEqual(values.map(([a]) => a).filter(Boolean), [1.5, 2.25]);
    assert.match(
      remarks.join('\n'),
      /^Column "a": read as numbers with decimal commas such as 1,5\.\nColumn "a": 1 of 3 values is not a number \(line \d, "n\/a"\): null in such rows\.$/,
    );
  }
});

test('commas before three digits stay decimal ones beside semicolons, also with a type that people set', async () => {
  const text = 'a;b\n1,234;x\nn/a;x\n2,345;x\n3,456;x\n';
  assert.match(String((await read(text)).remarks), /1 of 4 values is not a number .* --type a=float/);
  const { values, remarks } = await read(text, { types: { a: 'float' } });
  assert.deepEqual(
    values.map(([a]) => a),
    [1.234, null, 2.345, 3.456],
  );
  assert.match(String(remarks), /read as numbers with decimal commas such as 1,234/);
  const english = await read('a;b\n1,234;x\n2,345.5;x\n1,234,567;x\n', { types: { a: 'float' } });
  assert.deepEqual(
    english.values.map(([a]) => a),
    [1234, 2345.5, 1_234_567],
  );
});

test('without a header, a first row that ends with empty cells has as many columns as others', async () => {
  for (const end of ['\n', '\r\n']) {
    const { values, remarks } = await read(`1,,${end}2,3,${end}4,,5${end}`, { header: false, strict: true });
    assert.deepEqual(values, [
      [1, null, null],
      [2, 3, null],
      [4, null, 5],
    ]);
    assert.deepEqual(remarks, []);
  }
});

test('lines that are skipped beyond the end of the file', async () => {
  await assert.rejects(read('a\n1\n2\n', { skip: 10 }), /has fewer lines than the 10 that --skip leaves out/);
});

test('a line with nothing but "" is a row, as it is written, and a blank one is not', async () => {
  for (const end of ['\n', '\r\n', '\r'])
    for (const [lines, expected] of [
      [
        ['a', '1', '""', '', '3', '""'],
        [[1], [null], [3], [null]],
      ],
      [['a', '""'], [[null]]],
      [
        ['"a"', '"x"', '""', '"y"'],
        [['x'], [null], ['y']],
      ],
      [
        ['a,b', '"x\ny",2', '""', '3,"z"'],
        [
          ['x\ny', '2'],
          [null, null],
          ['3', 'z'],
        ],
      ],
    ] as const)
      assert.deepEqual((await read(`${lines.join(end)}${end}`)).values, expected, JSON.stringify([lines, end]));
  const padding = Array.from({ length: 20_000 }, (_, n) => `${n % 7 ? n : '""'}\r\n`);
  assert.equal((await read(`a\r\n${padding.join('')}`)).result.rows, 20_000);
});

test('a carriage return in the last cell of a row stays if it is quoted', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => (n % 3 ? `${n},"x\r"` : `${n},y`));
  for (const end of ['\n', '\r\n']) {
    const { values } = await read(`a,b${end}${rows.join(end)}${end}`);
    assert.deepEqual(new Set(values.map(([, b]) => b)), new Set(['y', 'x\r']));
  }
});

test('lines that end in CR alone are counted in messages, however many there are', async () => {
  const text = `a,b\r${'1,"2\r3"\r'.repeat(200_000)}x,4\r`;
  const { remarks } = await read(text, { types: { a: 'integer' } });
  assert.match(String(remarks), /line 400002, "x"/);
});

test('a text is cut between its characters where it is shown', async () => {
  const { result, remarks } = await read(`a\n${'1\n'.repeat(9)}${'b'.repeat(39)}😀c\n`);
  assert.match(String(remarks), /line 11, "b{39}…"/);
  const { result: long } = await read(`a\n${'b'.repeat(99)}😀c\n`);
  assert.deepEqual(
    [result, long].map(({ statistics }) => statistics[0]?.max),
    [`${'b'.repeat(39)}😀c`, 'b'.repeat(99)],
  );
});

test('encoding', async () => {
  const { values } = await read(Buffer.from([0x61, 0x0a, 0xe1, 0x0a]), { encoding: 'iso-8859-7' });
  assert.deepEqual(values, [['α']]);
  await assert.rejects(read('a\n1\n', { encoding: 'klingon' }), /there is no encoding "klingon"/);
  await assert.rejects(read(Buffer.from([0x61, 0x0a, 0xff, 0x0a]), { encoding: 'utf-8' }), /not valid utf-8/);
});

test('a byte order mark says which form of UTF-16 is meant', async () => {
  const little = Buffer.from('\ufeffa,b\nä,2\n', 'utf16le');
  for (const bytes of [little, Buffer.from(little).swap16()])
    for (const encoding of ['utf-16', 'utf-16le', 'utf-16be'])
      assert.deepEqual((await read(bytes, { encoding })).values, [['ä', 2]]);
  const plain = little.subarray(2);
  assert.deepEqual((await read(plain, { encoding: 'utf-16' })).values, [['ä', 2]]);
  assert.deepEqual((await read(Buffer.from(plain).swap16(), { encoding: 'utf-16be' })).values, [['ä', 2]]);
});

test('UTF-16 that breaks off, or has half of a character, is refused as UTF-8 is', async () => {
  for (const text of ['\ufeffa,b\nx,yé', 'a,b\nx,y\ud83d', '\ufeffa,b\n\ud83d,y\n'])
    for (const swap of [false, true]) {
      const bytes = Buffer.from(text, 'utf16le');
      if (swap) bytes.swap16();
      await assert.rejects(read(text.endsWith('é') ? bytes.subarray(0, -1) : bytes), /the text is not valid utf-16/);
    }
});

test('columns of latitude, longitude and geometry by name', async () => {
  assert.deepEqual(await points('nord;ost\n52,5;13,4\n', { lat: 'nord', lon: 'ost' }), [[13.4, 52.5]]);
  assert.deepEqual(await points('1,POINT(1 2)\n', { header: false, geometry: 'column_2' }), [[1, 2]]);
  await assert.rejects(
    points('nord;ost\n1;2\n', { lat: 'nrod', lon: 'ost' }),
    /there is no column "nrod"; did you mean "nord"\?/,
  );
  await assert.rejects(points('nord;ost\n1;2\n', { lat: 'nord' }), /--lon COLUMN/);
});

test('projected coordinates in columns: with their reference system they are points, without it a hint', async () => {
  const text = 'rechtswert;hochwert\n391390,731;5817855,241\n';
  const [point] = await points(text, { crs: 'EPSG:25833' });
  assert.ok(point && Math.abs((point[0] ?? 0) - 13.4) < 1e-6);
  assert.match((await read(text)).remarks.join(), /"rechtswert" and "hochwert": not degrees.*--crs EPSG:25833/);
});

test('a column of WKB, in hexadecimal as PostGIS writes it or in base64, or of GeoJSON is the geometry', async () => {
  for (const cell of [
    '0101000000000000000000F03F0000000000000040',
    '0101000020E6100000000000000000F03F0000000000000040',
    '\\x0101000000000000000000f03f0000000000000040',
    '00000000013ff00000000000004000000000000000',
    'AQEAAAAAAAAAAADwPwAAAAAAAABA',
    'AQEAACDmEAAAAAAAAAAA8D8AAAAAAAAAQA==',
    'AAAAAAE/8AAAAAAAAEAAAAAAAAAA',
    '"{""coordinates"": [1, 2], ""type"": ""Point""}"',
    '"{""type"": ""Feature"", ""geometry"": {""type"": ""Point"", ""coordinates"": [1, 2]}, ""properties"": {}}"',
  ])
    assert.deepEqual(await points(`id,geom\n1,${cell}\n2,\n`), [[1, 2], null], cell);
  assert.deepEqual(await points('geom\nAAAAAAEAAAAAAAAAAAAAAAAAAAAA\n'), [[0, 0]]);
  // PostGIS: SELECT ST_SetSRID(ST_MakePoint(391390.731, 5817855.241), 25833)
  const projected = '0101000020E964000096438BEC7AE31741448B6CCF7F315641';
  const named =
    '"{""type"":""Point"",""crs"":{""type"":""name"",""properties"":{""name"":""EPSG:25833""}},""coordinates"":[391390.731,5817855.241]}"';
  for (const cell of [projected, Buffer.from(projected, 'hex').toString('base64'), named]) {
    const [point] = await points(`geom\n${cell}\n`);
    assert.ok(point && Math.abs((point[1] ?? 0) - 52.5) < 1e-6, cell);
  }
});

test('columns of positions and of geometries are found in JSON and JSON lines as in CSV', async () => {
  const readJson = async (rows: object[], reading: ReadingOptions = {}) => {
    const [array, lines] = [JSON.stringify(rows), rows.map((row) => JSON.stringify(row)).join('\n')];
    const [whole, byLine] = [await read(array, reading, 'a.json'), await read(lines, reading, 'a.ndjson')];
    const found = await rowsOf(whole.table);
    assert.deepEqual(await rowsOf(byLine.table), found);
    assert.deepEqual(byLine.types, whole.types);
    return { types: whole.types, geometries: found.map(({ geometry }) => geometry), remarks: whole.remarks };
  };
  const [point, other] = [
    { type: 'Point', coordinates: [8.5, 47.3] },
    { type: 'Point', coordinates: [9, 48] },
  ];
  assert.deepEqual(
    await readJson([
      { lat: 47.3, lon: 8.5 },
      { lat: null, lon: 8.5 },
      { lat: '48', lon: '9.0' },
    ]),
    {
      types: ['geometry:geometry', 'lat:string', 'lon:string'],
      geometries: [point, null, other],
      remarks: [],
    },
  );
  assert.deepEqual((await readJson([{ n: 47.3, e: 8.5 }], { lat: 'n', lon: 'e' })).geometries, [point]);
  assert.deepEqual(
    await readJson([
      { id: 1, place: point },
      { id: 2, place: null },
      { id: 3, place: other },
    ]),
    {
      types: ['geometry:geometry', 'id:integer'],
      geometries: [point, null, other],
      remarks: [],
    },
  );
  assert.deepEqual(await readJson([{ a: 'POINT (8.5 47.3)' }, { a: '' }, { a: 'Bern' }, { a: 'POINT (9 48)' }]), {
    types: ['geometry:geometry', 'a:string'],
    geometries: [point, null, null, other],
    remarks: ['Column "a": 1 of 3 values is not a geometry (line 1, "Bern"): no geometry in such rows.'],
  });
});

test('a column of GeoJSON that says more than the geometry stays', async () => {
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { name: 'Bern' } };
  const { types, values } = await read(JSON.stringify([{ id: 1, place: feature }]), {}, 'a.json');
  assert.deepEqual(types, ['geometry:geometry', 'id:integer', 'place:object']);
  assert.deepEqual(values, [[1, feature]]);
  const cell = JSON.stringify({ ...feature.geometry, height: 3 }).replaceAll('"', '""');
  assert.deepEqual((await read(`place\n"${cell}"\n`)).types, ['geometry:geometry', 'place:string']);
  assert.deepEqual(await points(`place\n"${cell}"\n`), [[1, 2]]);
});

test('options that name columns are not used if the file has geometries, and that is said', async () => {
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { lat: 5, lon: 6 } };
  const text = JSON.stringify({ type: 'FeatureCollection', features: [feature] });
  const { table, remarks } = await read(text, { lat: 'lat', lon: 'lon' }, 'a.geojson');
  assert.deepEqual(
    (await rowsOf(table)).map(({ geometry }) => geometry),
    [feature.geometry],
  );
  assert.deepEqual(remarks, ['--lat and --lon: not used, since the file has geometries of its own.']);
});

test('hexadecimal numbers, base64 and JSON that are no geometry stay what they are', async () => {
  const point = '0101000000000000000000F03F0000000000000040';
  for (const cell of [
    '0x0101000000',
    `${point}1`,
    `${point}00`,
    `02${point.slice(2)}`,
    'AQEAAAAAAAAAAADwPwAAAAAAAABAAA==',
    'AQEAAAAAAAAAAADwPwAAAAAAAAB',
    'AQIDBAUGBwg=',
    'AAAAAAAAAAAA',
    '"{""type"": ""Point""}"',
    '"{""type"": ""Point"", ""crs"": ""EPSG:25833"""',
  ]) {
    const { types } = await read(`id,geom\n1,${cell}\n2,${cell}\n`);
    assert.deepEqual(types, ['id:integer', 'geom:string'], cell);
  }
  const { remarks } = await read(`id,geom\n1,${point}\n2,${point}\n3,${point.slice(0, -2)}\n`);
  assert.deepEqual(remarks, [
    `Column "geom": 1 of 3 values is not a geometry (line 4, "${point.slice(0, -2)}"): no geometry in such rows.`,
  ]);
});

test('WKT of another reference system: by its SRID, by --crs, or refused', async () => {
  for (const [cell, reading] of [
    ['SRID=25833;POINT(391390.731 5817855.241)', {}],
    ['POINT(391390.731 5817855.241)', { crs: '25833' }],
  ] as const) {
    const [point] = await points(`geom\n${cell}\n`, reading);
    assert.ok(point && Math.abs((point[1] ?? 0) - 52.5) < 1e-6, cell);
  }
  await assert.rejects(
    read('id,geom\n1,POINT(391390 5817855)\n'),
    /line 2: the position 391390 5817855.*--crs EPSG:25833/,
  );
  assert.deepEqual((await read('id,geom\n1,POINT(391390 5817855)\n', { types: { geom: 'string' } })).types, [
    'id:integer',
    'geom:string',
  ]);
});

for (const [what, text, reading, note] of [
  [
    'a number',
    'a,b\n1,x\n2,x\nn/a,x\n',
    {},
    'Column "a": 1 of 3 values is not a number (line 4, "n/a"): the column is text. To read the others: --type a=float',
  ],
  [
    'a number of a type that people set',
    'a,b\n1,x\n"n\na",x\n',
    { types: { a: 'integer' } },
    'Column "a": 1 of 2 values is not an integer (line 3, "n\\na"): null in such rows.',
  ],
  [
    'a date',
    'a\n2024-01-01\n2024-01-02\nsoon\n',
    {},
    'Column "a": 1 of 3 values is not a date (line 4, "soon"): the column is text. To read the others: --type a=date',
  ],
  [
    'a date with a time of day',
    'a\n2024-01-01 12:00\n2024-01-02\nsoon\n',
    {},
    'Column "a": 1 of 3 values is not a datetime (line 4, "soon"): the column is text. To read the others: --type a=datetime',
  ],
  [
    'WKT, several times',
    'g,b\nPOINT(1 2),x\nPOINT(oops,x\nPOINT(3 4),x\nPOINT(5 6),x\nPOINT,x\nPOINT(7 8),x\n',
    {},
    'Column "g": 2 of 6 values are not geometries (first: line 3, "POINT(oops"): no geometry in such rows.',
  ],
  [
    'WKT',
    'g,b\nPOINT(1 2),x\nPOINT(oops,x\nPOINT(3 4),x\n',
    {},
    'Column "g": 1 of 3 values is not a geometry (line 3, "POINT(oops"): no geometry in such rows.',
  ],
  [
    'a position',
    `lon,lat\n${'1,2\n'.repeat(10)}1,oops\n`,
    {},
    'Columns "lon" and "lat": 1 of 11 values is not a position (line 12, "1 oops"): no geometry in such rows.',
  ],
] as const) {
  test(`${what} that does not fit is said with its line, and refused with strict`, async () => {
    assert.ok(
      (await read(text, reading as ReadingOptions)).remarks.includes(note),
      (await read(text, reading as ReadingOptions)).remarks.join('\n'),
    );
    await assert.rejects(read(text, { ...reading, strict: true } as ReadingOptions), /line \d+: /);
  });
}

test('strict accepts what fits', async () => {
  assert.deepEqual((await read('a,b\n1,x\n2,y\n', { strict: true })).types, ['a:integer', 'b:string']);
});

test('columns that would be the geometry without one wrong value are named, with the line and what to write', async () => {
  for (const [text, remark, reading] of [
    [
      'id,lat,lon\n1,52,13\n2,97,13\n',
      'Columns "lon" and "lat": 1 of 2 values is not a position (line 3, "13 97"), so no row has a geometry. Correct it, or read the others: --lon lon --lat lat',
      { lon: 'lon', lat: 'lat' },
    ],
    [
      'id,wkt\n1,POINT (1 2)\n2,POINT (1\n3,x\n',
      'Column "wkt": 2 of 3 values are not geometries (first: line 3, "POINT (1"), so no row has a geometry. Correct them, or read the others: --geometry wkt',
      { geometry: 'wkt' },
    ],
  ] as const) {
    const { result } = await read(text);
    assert.deepEqual([result.remarks, result.lostGeometries], [[remark], [remark]]);
    assert.equal((await read(text, reading)).result.statistics[0]?.name, 'geometry');
  }
});

test('an object of JSON with rows in it is not read, and a remark says how they are', async () => {
  const adviceAbout = async (value: unknown, fileName = 'trees.json') => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    const { rows, remarks, advice } = await ingest(Readable.from([Buffer.from(text)]), { fileName });
    assert.deepEqual([rows, remarks], [null, advice === null ? [] : [advice]]);
    return advice ?? undefined;
  };
  const rows = [{ a: 1 }, { a: 2 }];
  assert.equal(
    await adviceAbout({ meta: { view: { columns: rows }, note: '"[{' }, count: 2, data: rows }),
    'The file is an object, with objects in "data". If they are the rows, publish a file of them: jq .data trees.json > rows.json',
  );
  assert.match(
    String(await adviceAbout({ "it's": rows }, 'my trees.json')),
    /: jq '\.\["it'\\''s"\]' FILE > rows\.json$/,
  );
  // As CKAN and SPARQL answer: the array is in another object, beside one that describes its columns.
  for (const [value, filter] of [
    [{ success: true, result: { fields: [{ id: 'a' }], records: rows } }, '.result.records'],
    [{ head: { link: [] }, results: { bindings: rows } }, '.results.bindings'],
    [{ 'a b': { c: rows } }, `'.["a b"].c'`],
    [{ a: { b: rows }, c: { d: { e: rows } }, f: rows }, '.f'],
  ] as const)
    assert.match(
      String(await adviceAbout(value)),
      new RegExp(`: jq ${filter.replace(/[.[\]]/g, '\\$&')} trees\\.json > `),
    );
  for (const value of [
    { a: [1, 2] },
    { a: { b: { c: { d: rows } } } },
    { a: [[{ b: rows }]] },
    { data: [[1]] },
    { a: '"b": [{' },
    { data: [] },
    '{"\\u00zz": [{',
  ])
    assert.equal(await adviceAbout(value), undefined, JSON.stringify(value));
});

test('a table in a file whose name says nothing, or in an archive, is not read, and a remark says how it is', async () => {
  const table = 'a;b\n1;2\n3;4\n';
  const unpack = 'The ZIP archive is kept as it is. To read rows, unpack it, and publish a file of it: ';
  const name = (it: string) => `The file looks like a table. To read its rows, name it so: --name ${it}`;
  for (const [fileName, bytes, remark] of [
    ['trees.txt', table, name('trees.csv')],
    ['trees of 2026.dat', table.replaceAll(';', '\t'), name('table.csv')],
    ['$(id).txt', table, name('table.csv')],
    ['trees', table, name('trees.csv')],
    ['trees.txt', 'name,notes\noak,"tall, old"\n"elm","young,\nand ""ill"""\n', name('trees.csv')],
    ['a.zip', zipOf({ 'x/trees.csv': table, 'readme.md': table }), `${unpack}x/trees.csv`],
    [
      'a.zip',
      zipOf(Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`${n}.csv`, table]))),
      `${unpack}1.csv, 2.csv, 3.csv and 2 more`,
    ],
    ['a.zip', zipOf({ 'readme.md': table }), undefined],
    ['notes.txt', 'Trees, counted\nin the spring of this year, by hand, and again\n', undefined],
    ['notes.txt', 'Dear all, thanks for the data.\nPlease find it here, as promised.\n', undefined],
    ['notes.txt', 'Dear Ms Smith,\nthank you for the data, which we have read.\n', undefined],
    ['notes.txt', 'Oaks, elms; and ashes\nwere counted; by hand, too\n', undefined],
    ['trees.txt', 'name, height\noak, 12.5\nelm, -3\n', name('trees.csv')],
    ['trees.txt', 'name,place\noak,"Springfield, north"\n', name('trees.csv')],
    ['notes.md', table, undefined],
    ['one.txt', 'a;b', undefined],
    ['binary.dat', `${table}\0`, undefined],
  ] as const) {
    const path = join(temporaryFolder(), 'payload');
    writeFileSync(path, bytes);
    for (const source of [path, Readable.from([Buffer.from(bytes)])]) {
      const { rows, remarks, advice } = await ingest(source, { fileName });
      assert.deepEqual(
        [rows, remarks, advice ?? undefined],
        [null, remark === undefined ? [] : [remark], remark],
        fileName,
      );
    }
  }
  assert.deepEqual((await read(table, {}, 'trees.csv')).result.advice, null);
});
