/** Irregular payloads: repaired without guessing, counted and said; or refused with the place. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { compilerFor } from '../../support/program.ts';
import { collection, ingestPayload, point, rowsOf, typesOf, valuesOf } from '../support/payloads.ts';

const polygon = (...rings: number[][][]) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates: rings },
});
const line = (...positions: number[][]) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'LineString', coordinates: positions },
});
const clockwise = [
  [0, 0],
  [0, 4],
  [4, 4],
  [4, 0],
  [0, 0],
];
const hole = [
  [1, 1],
  [2, 1],
  [2, 2],
  [1, 2],
  [1, 1],
];
const other = [
  [10, 0],
  [10, 4],
  [14, 4],
  [14, 0],
  [10, 0],
];
const esri = (features: unknown[], members = {}) => JSON.stringify({ features, ...members });

describe('GeoJSON', () => {
  it('whose ring is not closed is read, with the ring closed; the remarks and numbers say so', async () => {
    const text = collection(
      polygon([
        [0, 0],
        [4, 0],
        [4, 4],
      ]),
      polygon([
        [0, 0],
        [4, 0],
        [4, 4],
        [0, 0],
      ]),
    );
    const { result, table } = await ingestPayload(text, 'a.geojson');
    assert.deepEqual(result.remarks, ['Polygons: 1 ring is not closed (line 1): closed.']);
    assert.deepEqual(result.repairs, { unclosed_rings: 1 });
    const [first] = await rowsOf(table);
    assert.deepEqual(first?.geometry, {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [0, 0],
        ],
      ],
    });
    // Its bytes are not those that a response of all rows would copy.
    assert.equal(table.passthrough, null);
    const strict = ingestPayload(text, 'a.geojson', { reading: { strict: true } });
    await assert.rejects(strict, /^PayloadError: line 1: Polygons: 1 ring is not closed \(--strict\)/);
  });

  it('whose Features have no type, or a bbox of text, is read as what it is', async () => {
    const { type: _, ...untyped } = point({ a: 1 });
    const text = collection(untyped, { ...point({ a: 2 }), bbox: '1,2,3,4' });
    const { result, table } = await ingestPayload(text, 'a.geojson');
    assert.deepEqual(result.repairs, { missing_types: 1, invalid_bboxes: 1 });
    assert.deepEqual(await valuesOf(table), [[1], [2]]);
    assert.equal(table.schema.hasGeometry, true);
  });

  const refused: [string, unknown, RegExp][] = [
    ['a line of one position', line([1, 2]), /line 1, byte 4\d: a line has one position; it needs two/],
    [
      'a ring of two positions',
      polygon([
        [0, 0],
        [1, 1],
      ]),
      /line 1, byte 4\d: a ring has 2 positions; it needs four/,
    ],
    [
      'numbers as text',
      point({}, ['1', '2']),
      /line 1, byte 4\d: the coordinates of a Point are not as they should be/,
    ],
  ];
  for (const [name, feature, reason] of refused)
    it(`with ${name} is refused with its place`, async () => {
      await assert.rejects(ingestPayload(collection(feature), 'a.geojson'), reason);
    });
});

describe('Esri JSON', () => {
  it('may have heights that are missing', async () => {
    const points = [
      [5, 52, null],
      [6, 53, 'NaN'],
      [7, 54, 9],
    ];
    const geometries = [{ points }, { x: 5, y: 52, z: 'NaN' }];
    const text = esri(geometries.map((geometry) => ({ attributes: { n: 1 }, geometry })));
    const rows = await rowsOf((await ingestPayload(text, 'a.json')).table);
    assert.deepEqual(
      rows.map(({ geometry }) => (geometry as { coordinates: unknown }).coordinates),
      [
        [
          [5, 52],
          [6, 53],
          [7, 54, 9],
        ],
        [5, 52],
      ],
    );
  });

  it('is read: polygons by the direction of their rings, lines, points, and tables', async () => {
    const text = esri(
      [
        { attributes: { n: 1 }, geometry: { rings: [clockwise, hole, other] } },
        {
          attributes: { n: 2 },
          geometry: {
            paths: [
              [
                [0, 0],
                [1, 1],
              ],
            ],
          },
        },
        {
          attributes: { n: 3 },
          geometry: {
            paths: [
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
        },
        { attributes: { n: 4 }, geometry: { x: 5, y: 52 } },
        {
          attributes: { n: 5 },
          geometry: {
            points: [
              [5, 52],
              [6, 53],
            ],
          },
        },
        { attributes: { n: 6 }, geometry: { x: 'NaN', y: 'NaN' } },
        { attributes: { n: 7 } },
      ],
      { spatialReference: { wkid: 4326 } },
    );
    const { result, table } = await ingestPayload(text, 'a.json');
    assert.deepEqual(
      result.columns.map(({ name }) => name),
      ['geometry', 'n'],
    );
    assert.deepEqual(result.remarks, ['The file is Esri JSON.']);
    const rows = await rowsOf(table);
    assert.deepEqual(
      rows.map(({ geometry }) => geometry?.type),
      ['MultiPolygon', 'LineString', 'MultiLineString', 'Point', 'MultiPoint', undefined, undefined],
    );
    const [first] = rows;
    assert.deepEqual(first?.geometry?.type === 'MultiPolygon' && first.geometry.coordinates, [
      [clockwise.toReversed(), hole.toReversed()],
      [other.toReversed()],
    ]);
  });

  it('is converted from its reference system', async () => {
    const mercator = { spatialReference: { wkid: 102100, latestWkid: 3857 } };
    const { result, table } = await ingestPayload(
      esri([{ attributes: { n: 1 }, geometry: { x: 556597.45, y: 6800125.45 } }], mercator),
      'a.json',
    );
    assert.equal(result.crs, 'EPSG:3857');
    const [row] = await rowsOf(table);
    const [x = 0, y = 0] = row?.geometry?.type === 'Point' ? row.geometry.coordinates : [];
    assert.ok(Math.abs(x - 5) < 1e-5 && Math.abs(y - 52) < 1e-5, `${x} ${y}`);
  });

  it('with curves is refused', async () => {
    const text = esri([{ attributes: {}, geometry: { curveRings: [] } }]);
    await assert.rejects(ingestPayload(text, 'a.json'), /curves of Esri JSON are not read/);
  });
});

describe('CSV', () => {
  it('has the same repairs and remarks in the same order, in whatever chunks its bytes come', async () => {
    const long = Buffer.from(`a,b\n1,2,3\n${'4,5\n'.repeat(50_000)}"x"y,7\n`);
    const chunksOf = (size: number) =>
      Array.from({ length: Math.ceil(long.length / size) }, (_, n) => long.subarray(n * size, (n + 1) * size));
    const [whole, inPieces] = await Promise.all(
      [long.length, 1722].map((size) => ingest(Readable.from(chunksOf(size)), { fileName: 'a.csv' })),
    );
    assert.deepEqual(Object.entries(whole?.repairs ?? {}), [
      ['more_cells', 1],
      ['stray_quotes', 1],
    ]);
    assert.deepEqual(Object.entries(inPieces?.repairs ?? {}), Object.entries(whole?.repairs ?? {}));
    assert.deepEqual(inPieces?.remarks, whole?.remarks);
  });

  it('with more or fewer cells than the head, or text behind a quote, is kept, counted and said; --strict refuses it', async () => {
    const text = 'a,b\n1,2\n3\n4,5,6\n"x"y,7\n';
    const { result, table } = await ingestPayload(text, 'a.csv');
    assert.deepEqual(result.repairs, { fewer_cells: 1, more_cells: 1, stray_quotes: 1 });
    assert.deepEqual(result.remarks.filter((remark) => remark.startsWith('Rows')).sort(), [
      'Rows: 1 has fewer cells than the head (line 3): the others are null.',
      'Rows: 1 has more cells than the head (line 4): kept in columns of their own.',
      'Rows: 1 has text behind a closing quote (line 5): kept with its quotes.',
    ]);
    assert.equal((await valuesOf(table)).length, 4);
    await assert.rejects(ingestPayload(text, 'a.csv', { reading: { strict: true } }), /\(--strict\)/);
    const regular = await ingestPayload('a,b,\n1,2,\n"x ""y""",4,\n', 'a.csv', { reading: { strict: true } });
    assert.deepEqual(regular.result.repairs, {});
  });

  it('with text behind a quote at its end, without a line break, is kept as on other lines', async () => {
    for (const end of ['', '\n', '\r\n']) {
      const { result, table } = await ingestPayload(`a,b\n1,"x"y${end}`, 'a.csv');
      assert.deepEqual([await valuesOf(table), result.repairs], [[[1, '"x"y']], { stray_quotes: 1 }]);
    }
    await assert.rejects(ingestPayload('a,b\n1,"x', 'a.csv'), /a quoted cell is never closed/);
  });

  it('whose names stand below other lines are said to, with what to type', async () => {
    const remarkOf = async (text: string, reading = {}) =>
      (await ingestPayload(text, 'a.csv', { reading })).result.remarks.find((remark) => remark.includes('--skip'));
    for (const [text, skip, remark] of [
      ['Trees\nAs of 2026\n\na;b;c\n1;2;3\n', 3, 'Line 1 has one cell, line 4 has 3. If the names are in line 4'],
      ['Trees\na,b,c\n1,2,3\n', 1, 'Line 1 has one cell, line 2 has 3. If the names are in line 2'],
      ['Trees;;\r\n;;\r\na;b;c\r\n1;2;3\r\n', 2, 'Line 1 has one cell, line 3 has 3. If the names are in line 3'],
      [';;\na;b;c\n1;2;3\n', 1, 'Line 1 has no cell, line 2 has 3. If the names are in line 2'],
      ['"Source","World"\n\n"a","b","c","d"\n', 2, 'Line 1 has two cells, line 3 has 4. If the names are in line 3'],
    ] as const) {
      assert.equal(await remarkOf(text), `${remark}, write --skip ${skip}`);
      const { result } = await ingestPayload(text, 'a.csv', { reading: { skip, strict: true } });
      assert.deepEqual([result.columns.slice(0, 3).map(({ name }) => name), result.remarks], [['a', 'b', 'c'], []]);
    }
    const { result } = await ingestPayload('Trees\na,b,c\n1,2,3\n', 'a.csv');
    assert.doesNotMatch(result.remarks.join('\n'), /write\.table/);
    for (const text of ['a\n1\n', 'a,b,c\n1,2,3\n', 'a,b\n1,2,3\n', 'a,b,c,d\n1,,,\n'])
      assert.equal(await remarkOf(text), undefined, text);
    assert.equal(await remarkOf('1,,\n1,2,3\n', { header: false }), undefined);
    // Its first chunk has few rows.
    const texts = Array.from({ length: 99 }, () => 'word '.repeat(8_000));
    for (const [at, found] of [
      [20, 'Line 1 has one cell, line 22 has 3. If the names are in line 22, write --skip 21'],
      [80, undefined],
    ] as const)
      assert.equal(await remarkOf(['text', ...texts.with(at, 'and, so, on')].join('\n')), found);
  });

  it('whose names stand below comments are said to', async () => {
    for (const [text, skip, lines] of [
      ['# made by X\na,b\n1,2\n', 1, 'Line 1 begins'],
      ['# made by X\n# on 2024\na,b\n1,2\n', 2, 'Lines 1 to 2 begin'],
      ['# made by X, Y\n#\n#\n\na,b\n1,2\n', 4, 'Lines 1 to 4 begin'],
      ['# made by X, 2024\na,b\n1,2\n3,4\n5,6\n', 1, 'Line 1 begins'],
      ['# made by X, Y\n# on, 2024\na,b\n1,2\n3,4\n5,6\n', 2, 'Lines 1 to 2 begin'],
    ] as const) {
      const { result } = await ingestPayload(text, 'a.csv');
      const remark = `${lines} with "#". If the names are in line ${skip + 1}, write --skip ${skip}`;
      assert.ok(result.remarks.includes(remark), String(result.remarks));
      // The names are no wrong values of the columns.
      assert.doesNotMatch(String(result.remarks), /--type/);
      const { result: read } = await ingestPayload(text, 'a.csv', { reading: { skip, strict: true } });
      assert.deepEqual([typesOf(read), read.remarks], [['a:integer', 'b:integer'], []]);
    }
    for (const text of [
      '#id,name\n1,x\n',
      '#id,name\na,x\nb,y\n',
      '#id,name,height\na,x,\nb,y,5\n',
      '#\n1\n2\n',
      '# made by X\n# on 2024\n',
      '#,a\n#1,2\n#2,3\n',
    ])
      assert.deepEqual((await ingestPayload(text, 'a.csv')).result.remarks, [], text);
    // A value in the first row isn't taken for a name.
    const missing = `#id,name,height\na,x,n/a\n${'b,y,5\n'.repeat(50)}`;
    assert.match(
      String((await ingestPayload(missing, 'a.csv')).result.remarks),
      /^Column "height": 1 of 51 values .* --type height=float$/,
    );
  });

  it('whose names stand in several lines are said to, and no cell of them is said to be a wrong value', async () => {
    for (const [text, end, rows] of [
      [',n,n,v\n,sum,mean,max\nregion,,,\nA,3,1.5,2.5\nB,7,3.5,4.5\nC,7,3.5,4.5\n', 3, 3],
      [',n,n\nyear,2020,2021\nsex,f,m\nregion,,\nA,1,2\nB,,3\n', 4, 2],
      ['sex,f,m,f,m\nyear,2020,2020,2021,2021\nregion,,,,\nA,1,2,,\nB,,,3,4\n', 3, 2],
      [',,n,v\n,,sum,max\nregion,kind,,\nA,x,3,2.5\n', 3, 1],
      [',,,n,n\nsex,,,f,m\nregion,year,kind,,\nA,2020,x,1,2\nB,2021,y,3,4\n', 3, 2],
      [',n,,v,\nyear,2020,2021,2020,2021\nregion,,,,\nA,1,2,3,4\n', 3, 1],
      [',a,a,b\n,x,y,x\n0,1,2,3\n1,2,3,4\n2,3,4,5\n', 2, 3],
      // Merged cells of Excel, without names of the rows.
      [',a,,b\n,sum,mean,sum\n0,1,2,3\n1,4,5,6\n', 2, 2],
      // Merged cells of Excel, below each other for the names of the rows.
      ['year,f,,m,\n,young,old,young,old\n2020,1,2,3,4\n2021,5,6,7,8\n', 2, 2],
      // pandas without an index.
      ['a,a,b\nsum,mean,sum\n1,2,3\n4,5.5,6\n', 2, 2],
      ['a,a,a\nx,x,y\nsum,mean,sum\n1,2,3\n', 3, 1],
    ] as const) {
      const { result } = await ingestPayload(text, 'a.csv');
      const advice = `Write them into one line, or read the rows without names: --skip ${end} --no-header`;
      assert.deepEqual(result.remarks, [`Lines 1 to ${end} seem to hold the names of the columns. ${advice}`]);
      const reading = { skip: end, header: false, strict: true };
      const { result: read } = await ingestPayload(text, 'a.csv', { reading });
      assert.deepEqual([read.rows, read.columns.at(-1)?.type !== 'string', read.remarks], [rows, true, []]);
    }
    for (const text of [
      ',a,b\n0,1,2\n1,3,4\n',
      ',a,b\n,1,2\n,3,4\n',
      ',a,a\n,1,2\n,3,4\n',
      ',2020,2021\nTotal,5,6\nEurope,,\nSpain,1,2\n',
      'region,pop,area\nTotal,5,6\nEurope,,\nSpain,1,2\n',
      'a,a,b\n1,2,3\nx,,\ny,1,2\n',
      ',a,a\n',
      // Rows that lack values, behind names of rows without a name of their own.
      ',name,,x\n1,a,b,c\n2,,,\n3,d,e,f\n',
      ',,v\na,1,0.5\na,2,\nb,1,0.7\n',
      ',,v\na,x,0.5\na,y,\nb,x,0.7\n',
      ',,a,,b\n,1,2,3,4\nx,5,6,7,8\n',
      // Rows of texts below names that are repeated.
      'n,v,v\nx,n/a,n/a\ny,1,2\nz,2,3\n',
      'a,a,b\nx,y,z\nu,v,w\n',
      'a,a\nx,y\n',
      'a,a,b\nx,y,z\n1,2,3\nu,v,w\n4,5,6\n',
      'a,b,c\nx,y,z\n1,2,3\n',
    ])
      assert.doesNotMatch((await ingestPayload(text, 'a.csv')).result.remarks.join('\n'), /names of the columns/, text);
  });

  it('whose head lacks the name of the first column, as R writes it, is said to', async () => {
    const { result } = await ingestPayload('"mag","place"\n"1",4.5,"x"\n"2",5.5,"y"\n', 'a.csv');
    assert.match(result.remarks.join('\n'), /names may stand above the wrong columns\..*col\.names = NA/);
    const { result: other } = await ingestPayload('a,b\n1,2\n1,2,3\n', 'a.csv');
    assert.doesNotMatch(other.remarks.join('\n'), /wrong columns/);
  });
});

describe('a table of thousands of columns with short rows', () => {
  /** Reads it in a process of its own. @returns number of rows, and most memory in MB */
  const read = (rows: number, columns: number) => {
    const reader = new URL('../../../src/data/formats/csv/reader.ts', import.meta.url).href;
    const program = `
      const { readCsv } = await import(${JSON.stringify(reader)});
      const head = Array.from({ length: ${columns} }, (_, i) => 'c' + i).join(',');
      async function* chunks() { yield Buffer.from(head + '\\n' + '1\\n'.repeat(${rows})); }
      let count = 0;
      for await (const batch of readCsv(chunks(), { reading: {}, textual: true, passthrough: null })) count += batch.rows;
      console.log(JSON.stringify([count, process.resourceUsage().maxRSS / 1024]));`;
    const args = [...compilerFor(reader), '--input-type=module', '-e', program];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as [number, number];
  };

  it('is read in little memory, though its cells would take most of a gigabyte', () => {
    const [rows, memory] = read(10_000, 10_000);
    assert.equal(rows, 10_000);
    assert.ok(memory < 600, `${memory} MB`);
  });
});
