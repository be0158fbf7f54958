/** Excel workbooks: what each kind of cell becomes, which sheet is read, and what is refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dateText } from '../../../src/data/formats/xlsx/reader.ts';
import { dateKindOfFormat } from '../../../src/data/formats/xlsx/workbook.ts';
import { listPayloadLayers } from '../../../src/data/ingest/payload-layers.ts';
import { ingestPayload, rowsOf, typesOf, valuesOf } from '../support/payloads.ts';
import { workbookOf, zipOf } from '../support/zip.ts';

const text = (cell: string, value: string) => `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (cell: string, value: number | string, format = 0) => `<c r="${cell}" s="${format}"><v>${value}</v></c>`;
const row = (n: number, ...cells: string[]) => `<row r="${n}">${cells.join('')}</row>`;
const simple = row(1, text('A1', 'a')) + row(2, number('A2', 1));

describe('cells of a workbook', () => {
  it('become values by their kind and format', async () => {
    const sheet = [
      row(
        1,
        ...['text', 'number', 'date', 'time', 'both', 'hours', 'flag', 'code'].map((name, i) =>
          text(`${'ABCDEFGH'[i]}1`, name),
        ),
      ),
      row(
        2,
        '<c r="A2" t="s"><v>0</v></c>',
        number('B2', '1.1000000000000001'),
        number('C2', 45351, 1),
        number('D2', 0.5, 2),
        number('E2', 45351.75, 3),
        number('F2', 1.1041666666666667, 4),
        '<c r="G2" t="b"><v>1</v></c>',
        text('H2', '007'),
      ),
      row(
        5,
        '<c r="A5" t="str"><f>A2</f><v>two "quoted", lines&#10;&amp; more</v></c>',
        '<c r="B5"><f>1/0</f></c>',
        '<c r="C5" t="e"><v>#N/A</v></c>',
      ),
    ].join('');
    const workbook = workbookOf(
      { Sheet: sheet },
      {
        texts: ['<r><t>rich </t></r><r><t xml:space="preserve">text</t></r><rPh><t>phonetic</t></rPh>'],
        formats: ['dd.mm.yyyy', 'h:mm AM/PM', 'yyyy-mm-dd\\ hh:mm:ss', '[h]:mm'],
        after: '<mergeCells count="2"><mergeCell ref="A1:B1"/></mergeCells>',
      },
    );
    const { result, table } = await ingestPayload(workbook, 'a.xlsx');
    assert.equal(result.format, 'xlsx');
    assert.deepEqual(typesOf(result), [
      'text:string',
      'number:float',
      'date:date',
      'time:time',
      'both:datetime',
      'hours:string',
      'flag:boolean',
      'code:string',
    ]);
    assert.deepEqual(await valuesOf(table), [
      ['rich text', 1.1, '2024-02-29', '12:00:00', '2024-02-29T18:00:00', '26:30:00', true, '007'],
      ['two "quoted", lines\n& more', null, null, null, null, null, null, null],
    ]);
    assert.deepEqual(result.remarks, [
      'Cells: 1 with an error of Excel (row 5, #N/A): null.',
      'Cells: 1 with a formula without a value (row 5): null. Save the file in Excel once.',
      'Merged cells: 2: the value is in the first cell of each.',
    ]);
    assert.equal(result.delimiter, null);
  });

  it('are positions, numbers and dates as in CSV', async () => {
    const { result, table } = await ingestPayload(
      workbookOf({ S: row(1, text('A1', 'lon'), text('B1', 'lat')) + row(2, number('A2', 13.5), text('B2', '52,5')) }),
      'a.xlsx',
    );
    assert.deepEqual((await rowsOf(table))[0]?.geometry, { type: 'Point', coordinates: [13.5, 52.5] });
    assert.equal(result.rows, 1);
  });

  it('begin where the head is, and a remark says which row that may be', async () => {
    const sheet =
      row(1, text('A1', 'Trees of 2024')) +
      row(3, text('A3', 'a'), text('B3', 'b'), text('C3', 'c')) +
      row(4, number('A4', 1), number('C4', 3));
    const first = await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx');
    assert.match(
      first.result.remarks.join(),
      /Row 1 has one cell, row 3 has 3\. If the names are in row 3, write --skip 2/,
    );
    const { table, result } = await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx', {
      reading: { skip: 2, strict: true },
    });
    assert.deepEqual(typesOf(result), ['a:integer', 'b:string', 'c:integer']);
    assert.deepEqual(await valuesOf(table), [[1, null, 3]]);
    assert.deepEqual(result.remarks, []);
    const withoutNames = await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx', { reading: { header: false } });
    assert.doesNotMatch(withoutNames.result.remarks.join(), /--skip/);
    // No program that leaves out the first name, as R's write.table, has written the sheet.
    const wider = row(1, text('A1', 'a')) + row(2, number('A2', 1), number('B2', 2));
    assert.deepEqual((await ingestPayload(workbookOf({ S: wider }), 'a.xlsx')).result.remarks, [
      'Rows: 1 has more cells than the head (line 2): kept in columns of their own.',
      'Every row has more cells than the head, so that names may stand above the wrong columns.',
    ]);
    const broken = sheet.replace('of 2024', 'of&#10;2024');
    const below = await ingestPayload(workbookOf({ S: broken }), 'a.xlsx');
    assert.match(below.result.remarks.join(), /Row 1 has one cell, row 3 has 3\..* --skip 2/);
  });

  it('with line breaks are skipped with their row', async () => {
    const sheet =
      row(1, text('A1', 'Report&#10;2024')) + row(2, text('A2', 'a&#10;x'), text('B2', 'b')) + row(3, number('A3', 1));
    const { result, table } = await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx', { reading: { skip: 1 } });
    assert.deepEqual(typesOf(result), ['a\nx:integer', 'b:string']);
    assert.deepEqual(await valuesOf(table), [[1, null]]);
    await assert.rejects(
      ingestPayload(workbookOf({ S: sheet }), 'a.xlsx', { reading: { skip: 4 } }),
      /fewer lines than the 4 that --skip leaves out/,
    );
  });

  it('with line breaks count as one row in messages', async () => {
    const rows = Array.from({ length: 20 }, (_, i) =>
      row(i + 3, number(`A${i + 3}`, i), text(`B${i + 3}`, 'x&#10;y&#10;z')),
    );
    const sheet = [
      row(1, text('A1', 'a&#10;a'), text('B1', 'b')),
      ...rows,
      row(25, text('A25', 'wrong'), number('D25', 1)),
    ].join('');
    const { result } = await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx', {
      reading: { types: { 'a\na': 'integer' } },
    });
    assert.match(result.remarks.join('\n'), /more cells than the head \(line 25\)/);
    assert.match(result.remarks.join('\n'), /not an integer \(line 25, "wrong"\)/);
  });

  it('that are numbers beyond 2^53 stay numbers', async () => {
    const sheet =
      row(1, text('A1', 'n')) +
      ['1', '1e20', '-1.25E18', '9007199254740991'].map((n, i) => row(i + 2, number(`A${i + 2}`, n))).join('');
    const { result, table } = await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx');
    assert.deepEqual(typesOf(result), ['n:float']);
    assert.deepEqual(await valuesOf(table), [[1], [1e20], [-1.25e18], [9007199254740991]]);
  });

  it('have U+FFFD in the place of U+0000, which CSV has not', async () => {
    const sheet = row(1, text('A1', 'a')) + row(2, text('A2', 'x_x0000_y_x0041_'));
    assert.deepEqual(await valuesOf((await ingestPayload(workbookOf({ S: sheet }), 'a.xlsx')).table), [['x\ufffdyA']]);
  });

  it('have dates of both calendars', () => {
    assert.equal(dateText(1, 'date', false), '1900-01-01');
    assert.equal(dateText(45_291.999_999_999_99, 'date', false), '2024-01-01');
    assert.equal(dateText(59, 'date', false), '1900-02-28');
    assert.equal(dateText(60, 'date', false), null);
    assert.equal(dateText(61, 'date', false), '1900-03-01');
    assert.equal(dateText(0, 'date', true), '1904-01-01');
    assert.equal(dateText(43889, 'date', true), '2024-02-29');
    assert.equal(dateText(45351.999999999, 'datetime', false), '2024-03-01T00:00:00');
    assert.equal(dateText(0.000011574, 'time', false), '00:00:01');
    assert.equal(dateText(-1, 'date', false), null);
    for (const [last, from1904] of [
      [2_958_465, false],
      [2_957_003, true],
    ] as const) {
      assert.equal(dateText(last, 'date', from1904), '9999-12-31');
      assert.equal(dateText(last + 0.999999999, 'datetime', from1904), '9999-12-31T23:59:59.999');
      assert.equal(dateText(last + 1, 'datetime', from1904), null);
    }
    const kinds = {
      'm/d/yy': 'date',
      'mm:ss': 'time',
      'd. mmmm yyyy': 'date',
      '0.00 "days"': null,
      '[Red]0': null,
      '[$-407]d/m/yy h:mm;@': 'datetime',
      mmm: 'date',
      General: null,
    } as const;
    for (const [format, kind] of Object.entries(kinds)) assert.equal(dateKindOfFormat(format), kind, format);
  });
});

describe('sheets', () => {
  const workbook = workbookOf({ Trees: simple, Empty: '', 'Two words': simple, Notes: simple }, { hidden: ['Notes'] });

  it('are named: the error lists those with cells', async () => {
    await assert.rejects(ingestPayload(workbook, 'a.xlsx'), {
      message: 'it has 2 sheets, and a version is one of them: Trees, "Two words". Name it: --layer Trees',
    });
    await assert.rejects(ingestPayload(workbook, 'a.xlsx', { reading: { layer: 'Tree' } }), {
      message:
        'there is no sheet "Tree"; did you mean "Trees"? Name it: --layer Trees. ' +
        'A dataset remembers the name that was given last; to forget it: --layer ""',
    });
    await assert.rejects(ingestPayload(workbook, 'a.xlsx', { reading: { layer: 'Survey' } }), {
      message:
        'there is no sheet "Survey". It has: Trees, Empty, "Two words", Notes. Name one of them: --layer Trees. ' +
        'A dataset remembers the name that was given last; to forget it: --layer ""',
    });
    for (const layer of ['two words', 'Notes']) {
      const { result, path } = await ingestPayload(workbook, 'a.xlsx', { reading: { layer } });
      assert.equal(result.rows, 1);
      assert.deepEqual(await listPayloadLayers(path), ['Trees', 'Two words']);
    }
  });
  it('that are the only ones with cells need no name', async () => {
    const { result } = await ingestPayload(workbookOf({ Trees: simple, Empty: '' }), 'no-extension');
    assert.deepEqual([result.format, result.rows, result.title], ['xlsx', 1, 'Trees']);
  });
});

describe('workbooks that are refused', () => {
  const refused = (bytes: Uint8Array, message: RegExp, name = 'a.xlsx') =>
    assert.rejects(
      ingestPayload(bytes, name),
      (error: Error) => error.name === 'PayloadError' && message.test(error.message),
    );

  it('are broken, bombs, or other files', async () => {
    const good = workbookOf({ S: simple });
    await refused(good.subarray(0, good.length - 30), /the ZIP archive can't be read/);
    await refused(zipOf({ 'word/document.xml': '<a/>' }), /no Excel workbook: xl\/workbook\.xml is missing/);
    await refused(workbookOf({ S: row(2) + row(1) }), /row 1 follows the row 2|no sheet with rows/);
    await refused(workbookOf({ S: `${simple}<row r="99999999"/>` }), /the row 99999999 follows/);
    await refused(workbookOf({ S: row(1, number('ZZZ1', 1)) }), /beyond column 16384/);
    await refused(Buffer.from('a,b\n1,2\n'), /it is something else, not an Excel workbook/);
    await refused(
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2]),
      /an old Office file, as \.xls is, or one with a password/,
    );
    await refused(
      zipOf({ '../../x': 'x', 'xl/workbook.xml': '' }),
      /the ZIP archive can't be read: invalid relative path/,
    );
  });
  it('declare entities that grow, or claim and inflate too much', async () => {
    const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;<v>1</v></worksheet>';
    const parts = (sheet: string | Buffer, claims = {}) =>
      zipOf(
        {
          'xl/workbook.xml': '<workbook><sheets><sheet name="S" id="r"/></sheets></workbook>',
          'xl/_rels/workbook.xml.rels': '<R><Relationship Id="r" Type="x/worksheet" Target="/s.xml"/></R>',
          's.xml': sheet,
        },
        claims,
      );
    await refused(parts(entities), /entities of its own/);
    await refused(parts('<worksheet><sheetData><row r="1"><c><v>1</v></c>'), /the XML is broken: it breaks off/);
    await refused(parts(`<worksheet><v>${'<a>'.repeat(200)}`), /nested more than 100 times/);
    await refused(
      parts('<worksheet><v/></worksheet>', { 's.xml': 5 }),
      /the ZIP archive can't be read: too many bytes/,
    );
    await refused(parts(Buffer.alloc(70 * 1024 * 1024, ' ')), /s\.xml inflates to more than 250 times its size/);
  });
});
