/** Shapefiles: encodings of their texts, heights, and holes of their polygons. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ingestPayload, type PlainRow, rowsOf, valuesOf } from '../support/payloads.ts';
import { zipOf } from '../support/zip.ts';

/** A .dbf file with a column of texts. @param driver number of its encoding */
function dbfOf(texts: readonly Buffer[], driver = 0): Buffer {
  const length = Math.max(...texts.map((text) => text.length));
  const head = Buffer.alloc(65);
  head[0] = 3;
  head.writeUInt32LE(texts.length, 4);
  head.writeUInt16LE(65, 8);
  head.writeUInt16LE(length + 1, 10);
  head[29] = driver;
  head.write('text', 32);
  head.write('C', 43);
  head[48] = length;
  head[64] = 0x0d;
  return Buffer.concat([
    head,
    ...texts.map((text) => Buffer.concat([Buffer.from(' '), text], length + 1).fill(' ', text.length + 1)),
  ]);
}

function recordOf(content: Buffer, index: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(index + 1, 0);
  head.writeUInt32BE(content.length / 2, 4);
  return Buffer.concat([head, content]);
}

function shpOf(records: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(100);
  head.writeUInt32BE(9994, 0);
  return Buffer.concat([head, ...records.map(recordOf)]);
}

const pointRecord = Buffer.alloc(20);
pointRecord.writeUInt32LE(1, 0);

function polygonRecord(rings: readonly (readonly (readonly [number, number])[])[]): Buffer {
  const points = rings.flat();
  const record = Buffer.alloc(44 + 4 * rings.length + 16 * points.length);
  record.writeUInt32LE(5, 0);
  record.writeUInt32LE(rings.length, 36);
  record.writeUInt32LE(points.length, 40);
  let start = 0;
  for (const [index, ring] of rings.entries()) {
    record.writeUInt32LE(start, 44 + 4 * index);
    start += ring.length;
  }
  for (const [index, [x, y]] of points.entries()) {
    record.writeDoubleLE(x, 44 + 4 * rings.length + 16 * index);
    record.writeDoubleLE(y, 52 + 4 * rings.length + 16 * index);
  }
  return record;
}

/** The texts and remarks of a shapefile whose .dbf file has these bytes. */
async function textsOf(bytes: readonly Buffer[], { driver = 0, cpg = '' }): Promise<[unknown[], readonly string[]]> {
  const archive = zipOf({
    'a.shp': shpOf(bytes.map(() => pointRecord)),
    'a.dbf': dbfOf(bytes, driver),
    ...(cpg && { 'a.cpg': cpg }),
  });
  const { table, result } = await ingestPayload(archive, 'a.zip');
  return [(await valuesOf(table)).map(([text]) => text), result.remarks];
}

describe('texts of a shapefile', () => {
  it('have the characters of Windows-1252 that Latin-1 lacks', async () => {
    const bytes = [Buffer.from('\x80 \x84a\x93 \x96 \x92 \x8a\x9a\x8e\x9e\x8c\xe4', 'latin1')];
    for (const encoding of [{ cpg: '1252' }, { cpg: 'ISO-8859-1' }, { driver: 3 }, { driver: 87 }, {}])
      assert.deepEqual(await textsOf(bytes, encoding), [['€ „a“ – ’ ŠšŽžŒä'], []]);
  });

  it('are read from code pages of DOS', async () => {
    const german = [Buffer.from('M\x81ller stra\xe1e', 'latin1')];
    for (const encoding of [{ cpg: '850' }, { cpg: 'OEM 437' }, { cpg: 'cp852' }, { driver: 1 }, { driver: 2 }])
      assert.deepEqual((await textsOf(german, encoding))[0], ['Müller straße'], JSON.stringify(encoding));
    const polish = [Buffer.from('\x9d\xa2d\xab', 'latin1')];
    assert.deepEqual(await textsOf(polish, { driver: 100 }), [['Łódź'], []]);
    assert.deepEqual(await textsOf([Buffer.from('\x80\xff', 'latin1')], { cpg: 'IBM437' }), [['Ç\u00a0'], []]);
  });

  it('of an unknown encoding are guessed, with a remark', async () => {
    const texts = [Buffer.from('a'), Buffer.from('\xe4', 'latin1')];
    const remark = (name: string) => [
      `Texts of the .dbf file: read as Windows-1252, since their encoding (${name}) is not known. If that is wrong, write --encoding`,
    ];
    assert.deepEqual(await textsOf(texts, { cpg: 'CP861\n' }), [['a', 'ä'], remark('"CP861" in the .cpg file')]);
    assert.deepEqual(await textsOf(texts, { driver: 8 }), [['a', 'ä'], remark('number 8')]);
    assert.deepEqual(await textsOf([Buffer.from('ä')], { driver: 8 }), [['ä'], []]);
  });
});

describe('the attributes of a shapefile', () => {
  const read = (dbf: Buffer) => ingestPayload(zipOf({ 'a.shp': shpOf([pointRecord]), 'a.dbf': dbf }), 'a.zip');

  it('are refused in dBASE 7, whose fields have another form', async () => {
    const head = Buffer.alloc(68 + 48 + 1);
    head[0] = 4;
    head.writeUInt32LE(1, 4);
    head.writeUInt16LE(head.length, 8);
    head.writeUInt16LE(3, 10);
    head.write('text', 68);
    head.write('C', 100);
    head[101] = 2;
    head[116] = 0x0d;
    await assert.rejects(read(Buffer.concat([head, Buffer.from(' ab')])), /dBASE 7, which is not read/);
  });

  it('have no number where there are NUL bytes', async () => {
    const numbers = ['1.5', '\0\0\0\0', ' 2\0\0', '****', ''].map((text) => Buffer.from(text));
    const dbf = dbfOf(numbers);
    dbf.write('N', 43);
    const archive = zipOf({ 'a.shp': shpOf(numbers.map(() => pointRecord)), 'a.dbf': dbf });
    assert.deepEqual(await valuesOf((await ingestPayload(archive, 'a.zip')).table), [
      [1.5],
      [null],
      [2],
      [null],
      [null],
    ]);
  });

  it('are read in dBASE IV, also with the number of another version', async () => {
    const dbf = dbfOf([Buffer.from('ab')]);
    dbf[0] = 4;
    assert.deepEqual(await valuesOf((await read(dbf)).table), [['ab']]);
  });
});

describe('heights of a shapefile', () => {
  const geometryOf = async (record: Buffer) => {
    const archive = zipOf({ 'a.shp': shpOf([record]), 'a.dbf': dbfOf([Buffer.from('a')]) });
    const [row] = await rowsOf((await ingestPayload(archive, 'a.zip')).table);
    return (row as PlainRow).geometry;
  };
  const missing = [Number.NaN, -1.5e39];

  it('that are missing leave points as they are', async () => {
    for (const z of missing) {
      const record = Buffer.alloc(36);
      record.writeUInt32LE(11, 0);
      for (const [index, number] of [8, 47, z].entries()) record.writeDoubleLE(number, 4 + 8 * index);
      assert.deepEqual(await geometryOf(record), { type: 'Point', coordinates: [8, 47] });
    }
  });

  it('that are missing leave lines as they are', async () => {
    for (const z of missing) {
      const record = Buffer.alloc(48 + 32 + 16 + 16);
      record.writeUInt32LE(13, 0);
      record.writeUInt32LE(1, 36);
      record.writeUInt32LE(2, 40);
      for (const [index, number] of [8, 47, 9, 48, 0, 0, 400, z].entries())
        record.writeDoubleLE(number, 48 + 8 * index);
      const coordinates = [
        [8, 47, 400],
        [9, 48],
      ];
      assert.deepEqual(await geometryOf(record), { type: 'LineString', coordinates });
    }
  });
});

describe('holes of a shapefile', () => {
  /** A square; clockwise, as an outside. */
  const square = (from: number, to: number, x = 0): [number, number][] => [
    [x + from, from],
    [x + from, to],
    [x + to, to],
    [x + to, from],
    [x + from, from],
  ];
  const hole = (from: number, to: number, x = 0) => square(from, to, x).toReversed();
  const polygonsOf = async (rings: readonly [number, number][][]) => {
    const archive = zipOf({ 'a.shp': shpOf([polygonRecord(rings)]), 'a.dbf': dbfOf([Buffer.from('a')]) });
    const [row] = await rowsOf((await ingestPayload(archive, 'a.zip')).table);
    const { type, coordinates } = (row as PlainRow).geometry as { type: string; coordinates: [number, number][][][] };
    const polygons = type === 'Polygon' ? [coordinates as unknown as [number, number][][]] : coordinates;
    return polygons.map((polygon) => polygon.map((ring) => ring.toReversed()));
  };

  it('belong to the smallest polygon around them', async () => {
    const [a, h1, b, h2] = [square(0, 10), hole(1, 9), square(2, 8), hole(3, 7)];
    const expected = [
      [a, h1],
      [b, h2],
    ];
    assert.deepEqual(await polygonsOf([a, h1, b, h2]), expected);
    assert.deepEqual(await polygonsOf([a, h2, h1, b]), expected);
  });

  it('belong to the polygon around them, if others touch them', async () => {
    const touched = [hole(2, 4), square(4, 8)] as const;
    const neighbour = square(0, 4, 10);
    const inlet: [number, number][] = [
      [10, 2],
      [8, 1],
      [8, 3],
      [10, 2],
    ];
    const bay = inlet.toReversed();
    assert.deepEqual(await polygonsOf([neighbour, touched[1], square(0, 10), touched[0], bay]), [
      [neighbour],
      [touched[1]],
      [square(0, 10), touched[0], bay],
    ]);
  });

  it('without a polygon around them are polygons', async () => {
    assert.deepEqual(await polygonsOf([square(0, 2), hole(4, 6)]), [[square(0, 2)], [square(4, 6)]]);
  });
});
