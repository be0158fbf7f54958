/** Items of long JSON texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAroundArray, readArrayItems } from '../../src/import/json-items.ts';

async function itemsOf(chunks: AsyncIterable<Buffer>, keys: readonly string[]): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for await (const item of readArrayItems(chunks, keys, 'long.json')) items.push(item);
  return items;
}

describe('the items of a long JSON text', () => {
  it('are found behind a long string, of which memory holds a chunk', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    let grown = 0;
    async function* text() {
      yield Buffer.from('{"note": "');
      const before = process.memoryUsage().heapUsed;
      for (let i = 0; i < 32; i++) yield megabyte;
      grown = process.memoryUsage().heapUsed - before;
      yield Buffer.from('", "dataset": [{"a": 1}, {"a": 2}]}');
    }
    assert.deepEqual(await itemsOf(text(), ['dataset']), [{ a: 1 }, { a: 2 }]);
    assert.ok(grown < megabyte.length * 32, `${grown} bytes more`);
  });

  it('are those at the path of keys, not of longer and shorter ones', async () => {
    async function* text() {
      yield Buffer.from('{"results": [1], "result2": [2], "resul": [3], "x": "result", "result": {"é": [4, "],"]}}');
    }
    assert.deepEqual(await itemsOf(text(), ['result', 'é']), [4, '],']);
  });

  it('are counted, and what stands around them is read, wherever chunks end', async () => {
    const whole = Buffer.from('\ufeff{"a": {"items": [9]}, "items": [{"items": []}, "]", [1]], "n": 5, "é": "]"}');
    const around = { value: { a: { items: [9] }, items: [], n: 5, é: ']' }, count: 3 };
    const read = (bytes: Buffer, length: number) =>
      readAroundArray(
        (async function* () {
          for (let i = 0; i < bytes.length; i += length) yield bytes.subarray(i, i + length);
        })(),
        'items',
      );
    for (let length = 1; length <= whole.length; length++) assert.deepEqual(await read(whole, length), around);
    for (const other of ['{"items": 1}', '{"items": [1', '{"items": []', '[]'])
      assert.equal(await read(Buffer.from(other), 3), null, other);
  });
});
