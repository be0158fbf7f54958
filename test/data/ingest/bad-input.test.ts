/** What a payload can get wrong, and what it gets for it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { PayloadError } from '../../../src/data/errors.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { collection, ingestPayload, point, temporaryFolder, typesOf, valuesOf } from '../support/payloads.ts';

const refused: [string, string, string | Uint8Array, RegExp][] = [
  [
    'GeoJSON that is cut off',
    'a.geojson',
    collection(point({ a: 1 }), point({ a: 2 })).slice(0, -30),
    /^line 1, byte \d+: the text breaks off/,
  ],
  [
    'GeoJSON with a fault in the middle',
    'a.geojson',
    '{"type":"FeatureCollection","features":[\n{"type":"Feature","properties":{"a":1},"geometry":null},\n{"type":"Feature","properties":{"a":1 "b"},"geometry":null}]}',
    /^line 3, byte 136: not JSON/,
  ],
  ['NDJSON with a broken line', 'a.ndjson', '{"a":1}\n{"a":2\n{"a":3}\n', /^line 2, byte 14/],
  ['NDJSON with a bad value', 'a.ndjson', '{"a":1}\n{"a":tru}\n', /^line 2, byte 8: not JSON: Unexpected token/],
  [
    'a member of the collection that is broken',
    'a.geojson',
    '{"type":"FeatureCollection","name":oops,"features":[]}',
    /not JSON/,
  ],
  ['another type', 'a.geojson', '{"type":"Topology","objects":{}}', /not GeoJSON: its type is "Topology"/],
  [
    'a feature whose properties are a list',
    'a.geojson',
    collection({ type: 'Feature', geometry: null, properties: [] }),
    /properties of a Feature/,
  ],
  [
    'an unknown geometry',
    'a.geojson',
    collection({ type: 'Feature', geometry: { type: 'Circle', coordinates: [1, 2] }, properties: {} }),
    /not a GeoJSON geometry/,
  ],
  [
    'coordinates of another depth',
    'a.geojson',
    collection(point({}), { type: 'Feature', geometry: { type: 'Polygon', coordinates: [[1, 2]] }, properties: {} }),
    /coordinates of a Polygon/,
  ],
  ['coordinates in quotes', 'a.geojson', collection(point({}, ['1', '2'])), /coordinates of a Point/],
  [
    'nested deeper than 100 levels',
    'a.geojson',
    collection(point({ a: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) })),
    /nested deeper than 100 levels/,
  ],
  [
    'nested a million deep on a line',
    'a.ndjson',
    `{"a":${'['.repeat(1e6)}${']'.repeat(1e6)}}`,
    /nested deeper than 100 levels/,
  ],
  [
    'a quote that is never closed',
    'a.csv',
    `a,b\n1,2\n3,"4\n${'5,6\n'.repeat(100)}`,
    /^line 3: a quoted cell is never closed/,
  ],
  [
    'quotes that are not doubled and swallow rows',
    'a.csv',
    'a,b\n"1"x"y,2\n3,"4"\n5,6\n',
    /^line \d: a quote inside a quoted cell is not doubled/,
  ],
  ['zero bytes in CSV', 'a.csv', 'a,b\n1,\0\n', /^line 1: not text/],
  [
    'UTF-8 that goes on as something else',
    'a.csv',
    Buffer.concat([Buffer.from(`a,b\n1,é\n${'2,x\n'.repeat(300_000)}`), Buffer.from([0x33, 0x2c, 0xe9, 0x0a])]),
    /^byte 12000\d\d: the text is not valid UTF-8\. If it is in another encoding, name it: --encoding iso-8859-2 .*, or windows-1252$/,
  ],
  [
    'a gzip stream that is cut off',
    'a.csv.gz',
    gzipSync(`a,b\n${'1,2\n'.repeat(1000)}`).subarray(0, -20),
    /the gzip stream is broken: unexpected end of file/,
  ],
  [
    'a gzip stream that is broken',
    'a.ndjson.gz',
    gzipSync('{"a":1}\n').fill(0x55, 12, 16),
    /the gzip stream is broken/,
  ],
  ['a gzip bomb', 'a.ndjson.gz', gzipSync(Buffer.alloc(100_000_000, ' ')), /inflates to more than 250 times its size/],
  ['Parquet that is cut off', 'a.parquet', Buffer.from('PAR1 and no more'), /the Parquet can't be read/],
  ['an empty GeoJSON', 'a.geojson', '', /the file is empty: it has 0 bytes/],
  ['a blank GeoJSON', 'a.geojson', ' \n', /the payload is empty/],
  ['an empty CSV', 'a.csv', '', /the file is empty: it has 0 bytes/],
  ['an empty file of another kind', 'a.xlsx', '', /the file is empty/],
  ['nothing, gzipped', 'a.csv.gz', gzipSync(''), /the file is empty/],
  [
    'an HTML page that is called CSV',
    'a.csv',
    '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title>',
    /it is an HTML page, not csv: "502 Bad Gateway"/,
  ],
  [
    'an error in JSON that is called CSV',
    'a.csv',
    '{"error": "quota",\n "code": 1}\n',
    /it is JSON, not csv: \{"error": "quota", "code": 1\}$/,
  ],
  ['a list in JSON that is called CSV', 'a.csv', '[{"a": 1, "b": 2},\n {"a": 3}]\n', /it is JSON, not csv: \[\{"a": 1/],
  [
    'long GeoJSON that is called CSV',
    'a.csv',
    `{"type": "FeatureCollection", "features": [${'\n'.repeat(9000)}]}`,
    /it is JSON, not csv: \{"type": "FeatureCollection"/,
  ],
  ['text that is called a shapefile', 'a.zip', 'a,b\n', /it is something else, not a shapefile in a ZIP archive$/],
  ['text that is called KML', 'a.kml', 'a,b\n', /it is something else, not a KML file$/],
  ['an HTML page that is called a workbook', 'a.xlsx', '\ufeff <html>', /it is an HTML page, not xlsx/],
  ['an HTML page without a name', '', '<!-- x --><html>', /it is an HTML page/],
  ['an XML document that is called JSON', 'a.json', '<?xml version="1.0"?><Error/>', /it is an XML document, not json/],
  ['a workbook that is called CSV', 'a.csv', Buffer.from('PK\u0003\u0004rest'), /it is a ZIP archive.*not csv/],
  [
    'a lone shapefile',
    'trees.shp',
    Buffer.from('0000270a'.padEnd(200, '0'), 'hex'),
    /trees\.shx, trees\.dbf and trees\.prj are missing.*zip trees\.zip trees\.\*$/,
  ],
  [
    'a lone table of a shapefile',
    'trees.dbf',
    Buffer.from('0378071f01000000610021000000', 'hex'),
    /trees\.shp, trees\.shx and trees\.prj are missing.*zip trees\.zip trees\.\*\. If it is a table by itself, .*ogr2ogr trees\.csv trees\.dbf$/,
  ],
  [
    'a lone index of a shapefile',
    'trees.shx',
    Buffer.from('0000270a'),
    /trees\.shp, trees\.dbf and trees\.prj are missing/,
  ],
  ['a lone projection of a shapefile', 'trees.prj', 'PROJCS["x"]', /trees\.shp, trees\.shx and trees\.dbf are missing/],
  [
    'a lone encoding of a shapefile',
    'trees.CPG',
    'UTF-8',
    /trees\.shp, trees\.shx, trees\.dbf and trees\.prj are missing/,
  ],
  [
    'a lone shapefile, gzipped',
    'trees.shp.gz',
    gzipSync(Buffer.from('0000270a'.padEnd(200, '0'), 'hex')),
    /trees\.shx, trees\.dbf and trees\.prj are missing.* trees\.zip trees\.\*$/,
  ],
  ['an array that is none', 'a.json', ' ', /expected an array of objects/],
  [
    'too many columns',
    'a.ndjson',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`c${n}`, n]))),
    /more than 10000 different columns/,
  ],
];
for (const [what, fileName, content, message] of refused) {
  test(`${what}: refused, with nothing left behind`, async () => {
    const derivedFolder = temporaryFolder();
    const copyTo = join(temporaryFolder(), 'copy');
    const source = Readable.from([content.length === 0 ? Buffer.alloc(0) : Buffer.from(content)]);
    await assert.rejects(ingest(source, { fileName, cacheFolder: derivedFolder, copyTo }), (error) => {
      assert.ok(error instanceof PayloadError, String(error));
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(readdirSync(derivedFolder), []);
    assert.equal(existsSync(copyTo), false);
  });
}

test('a source that fails, or is aborted: its own error, and nothing left behind', async () => {
  const derivedFolder = temporaryFolder();
  async function* broken() {
    yield Buffer.from(`${'{"a":1}\n'.repeat(100_000)}`);
    throw new Error('the connection was cut');
  }
  await assert.rejects(
    ingest(Readable.from(broken()), { fileName: 'a.ndjson', cacheFolder: derivedFolder }),
    /connection was cut/,
  );
  const zipped = async function* () {
    yield gzipSync('{"a":1}\n'.repeat(1000)).subarray(0, 30);
    throw new Error('the connection was cut');
  };
  await assert.rejects(
    ingest(Readable.from(zipped()), { format: 'ndjson', cacheFolder: derivedFolder }),
    /connection was cut/,
  );
  const abort = new AbortController();
  abort.abort();
  const source = Readable.from([Buffer.from('a,b\n')]);
  await assert.rejects(ingest(source, { format: 'csv', cacheFolder: derivedFolder, signal: abort.signal }), {
    name: 'AbortError',
  });
  assert.deepEqual(readdirSync(derivedFolder), []);
});

test('ragged rows, duplicate and empty names: every cell is kept', async () => {
  const { result, table } = await ingestPayload('a,,a\n1,2,3\n4\n5,6,7,8\n9,10,11,,\n', 'a.csv');
  assert.deepEqual(typesOf(result), ['a:integer', 'column_2:integer', 'a_2:integer', 'column_4:integer']);
  assert.deepEqual(await valuesOf(table), [
    [1, 2, 3, null],
    [4, null, null, null],
    [5, 6, 7, 8],
    [9, 10, 11, null],
  ]);
});

test('properties named like the geometry, or not at all, or like JavaScript’s own', async () => {
  const text =
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"geometry":1,"":2,"__proto__":3,"constructor":4},"geometry":null}]}';
  const { result, table } = await ingestPayload(text, 'a.geojson');
  assert.deepEqual(typesOf(result), [
    'geometry:geometry',
    'geometry_2:integer',
    'column_2:integer',
    '__proto__:integer',
    'constructor:integer',
  ]);
  assert.deepEqual(await valuesOf(table), [[1, 2, 3, 4]]);
  assert.equal(table.passthrough, null);
});

const texts: [string, Uint8Array, string][] = [
  ['UTF-8 with a mark', Buffer.from('\ufeffname,n\nZürich €,1\n'), 'utf-8'],
  ['UTF-16, little end first', Buffer.from('\ufeffname,n\nZürich €,1\n', 'utf16le'), 'utf-16'],
  ['UTF-16, big end first', Buffer.from('\ufeffname,n\nZürich €,1\n', 'utf16le').swap16(), 'utf-16'],
  ['UTF-16 without a mark', Buffer.from('name,n\nZürich €,1\n', 'utf16le'), 'utf-16le'],
  ['Windows-1252', Buffer.from('name,n\nZ\u00fcrich \u0080,1\n', 'latin1'), 'windows-1252'],
];
const guessed =
  'Read as Windows-1252, since it is not UTF-8. If letters are wrong, name the encoding: --encoding iso-8859-2 (Central Europe), ' +
  'windows-1251 (Cyrillic), macintosh (Excel for Mac), shift_jis or euc-jp (Japanese), gb18030 or big5 (Chinese)';
for (const [what, bytes, encoding] of texts) {
  test(`${what}: read`, async () => {
    const { result, table } = await ingestPayload(bytes, 'a.csv');
    assert.equal(result.encoding, encoding);
    assert.deepEqual(
      result.columns.map(({ name }) => name),
      ['name', 'n'],
    );
    assert.deepEqual(await valuesOf(table), [['Zürich €', 1]]);
    const isGuess = encoding === 'windows-1252';
    assert.deepEqual(result.remarks, isGuess ? [guessed] : []);
  });
}

test('an encoding that is named is no guess', async () => {
  const bytes = Buffer.from('name,n\nP\xf8\xedbram,1\n', 'latin1');
  assert.deepEqual((await ingestPayload(bytes, 'a.csv')).result.remarks, [guessed]);
  for (const [encoding, name] of [
    ['windows-1250', 'Příbram'],
    ['windows-1252', 'Pøíbram'],
  ]) {
    const { result, table } = await ingestPayload(bytes, 'a.csv', { reading: { encoding: encoding as string } });
    assert.deepEqual(result.remarks, []);
    assert.deepEqual(await valuesOf(table), [[name, 1]]);
  }
});

for (const [encoding, hex, name] of [
  ['shift_jis', '93 8c 8b 9e', '東京'],
  ['euc-jp', 'c5 ec b5 fe', '東京'],
  ['gb18030', 'b1 b1 be a9', '北京'],
  ['big5', 'bb 4f a5 5f', '臺北'],
  ['windows-1251', 'cc ee f1 ea e2 e0', 'Москва'],
  ['macintosh', '4b 9a 6c 6e', 'Köln'],
] as const)
  test(`the encoding ${encoding} is one of those to name, and is read`, async () => {
    const bytes = Buffer.concat([
      Buffer.from('name\n'),
      Buffer.from(hex.replaceAll(' ', ''), 'hex'),
      Buffer.from('\n'),
    ]);
    const said = await ingestPayload(bytes, 'a.csv').then(
      ({ result }) => String(result.remarks),
      (error: Error) => error.message,
    );
    assert.match(said, new RegExp(`[nN]ame (?:the encoding|it): --encoding .*\\b${encoding}\\b`));
    assert.deepEqual(await valuesOf((await ingestPayload(bytes, 'a.csv', { reading: { encoding } })).table), [[name]]);
  });

test('GeoJSON in UTF-16, with a mark, and in Windows-1252', async () => {
  const text = collection(point({ name: 'Zürich' }));
  for (const bytes of [
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    Buffer.from(`\ufeff${text}`),
    Buffer.from(text, 'latin1'),
  ]) {
    const { table } = await ingestPayload(bytes, 'a.geojson');
    assert.deepEqual(await valuesOf(table), [['Zürich']]);
  }
});

test('a character that is split across two chunks', async () => {
  const text = Buffer.from('{"a":"€uro 😀"}\n');
  for (let at = 1; at < text.length; at++) {
    const source = Readable.from([text.subarray(0, at), text.subarray(at)]);
    const result = await ingest(source, { format: 'ndjson' });
    assert.equal(result.encoding, 'utf-8');
    assert.equal(result.statistics[0]?.min, '€uro 😀');
  }
});

test('an empty geometry says nothing of what the rows are, and is of a kind that files have', async () => {
  const shapes = [
    { type: 'Point', coordinates: [1, 2] },
    { type: 'Polygon', coordinates: [] },
  ];
  const { result, table } = await ingestPayload(
    collection(...shapes.map((geometry) => ({ type: 'Feature', properties: {}, geometry }))),
    'a.geojson',
  );
  assert.deepEqual(result.geometryKinds, ['Point']);
  assert.deepEqual(table.locatedKinds, ['Point']);
  assert.deepEqual(table.geometryKinds, ['Point', 'Polygon']);
});

test('empty points and geometries', async () => {
  const shapes = [
    null,
    { type: 'Point', coordinates: [] },
    { type: 'Point', coordinates: [null, null] },
    { type: 'MultiPolygon', coordinates: [] },
    { type: 'GeometryCollection', geometries: [] },
  ];
  const { result, table } = await ingestPayload(
    collection(...shapes.map((geometry) => ({ type: 'Feature', properties: {}, geometry }))),
    'a.geojson',
  );
  assert.equal(result.bbox, null);
  assert.equal(result.statistics[0]?.nulls, 3);
  const found: unknown[] = [];
  for await (const row of table.scan()) found.push([row.geometry()?.type, row.bbox()]);
  assert.deepEqual(found, [
    [undefined, null],
    [undefined, null],
    [undefined, null],
    ['MultiPolygon', null],
    ['GeometryCollection', null],
  ]);
});
