/** Documents whose format is told by their beginning: long first records, long lists, and byte order marks. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeRoot, type } from '../support/prompt.ts';

async function importing(name: string, text: string) {
  const root = await makeRoot();
  writeFileSync(join(root, '..', name), text);
  const { out, err } = await type(['import', name, '--to', 'city', '--json'], { root });
  assert.equal(err, '');
  const { created, skipped } = JSON.parse(out);
  assert.deepEqual(skipped, []);
  return created.map(({ dataset }: { dataset: string }) => dataset);
}

const named = (name: string, notes = '') => ({ id: name, name, title: name, notes, resources: [] });

it('are a package a line, also if the first is long', async () => {
  const lines = [named('a', 'x'.repeat(100_000)), named('b')].map((one) => `${JSON.stringify(one)}\n`);
  assert.deepEqual(await importing('dump.jsonl', lines.join('')), ['city/a', 'city/b']);
});
