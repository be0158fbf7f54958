/** A record whose line `id:` was lost by an edit. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

it('gets no other id on the remote: the push says which line to add', async (test) => {
  const there = makeFolder(seed, test).root;
  const here = makeFolder({ namespaces: {} }, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  const path = `${homeOf('parks/trees')}/dataset.yaml`;
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  const before = contentOf(there);
  const text = readFileSync(join(here, path), 'utf8');
  const [line = ''] = /^id: \d+$/m.exec(text) ?? [];
  writeFileSync(join(here, path), text.replace(`${line}\n`, 'publisher: Ann\n'));
  const message = `Its id is missing, by which programs and other copies know it. Add the line "${line}".`;
  for (const dryRun of [true, false]) {
    const pushed = await pushTo(here, there, { dryRun });
    assert.deepEqual(
      pushed.failures.map((failure) => [failure.path, failure.error.message]),
      [[path, message]],
    );
    assert.deepEqual(contentOf(there), before);
  }
  writeFileSync(join(here, path), `${line}\n${readFileSync(join(here, path), 'utf8')}`);
  assert.deepEqual(failuresOf(await pushTo(here, there)), []);
  assert.match(readFileSync(join(there, path), 'utf8'), /publisher: Ann/);
});
