/** Shapefiles: encodings of their texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ingestPayload, valuesOf } from '../support/payloads.ts';
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
