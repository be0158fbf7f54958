/** Items of long JSON texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArrayItems } from '../../src/import/json-items.ts';

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
});
