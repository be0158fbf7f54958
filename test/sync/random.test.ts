/** Any edits on both sides: afterwards both have the same, nothing was made up, and nothing is left to do. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { SyncOptions } from '../../src/sync/sync.ts';
import { CatalogueFolder, removeFolder, temporaryParent } from '../support/folder.ts';
import { edits, Hands } from './edits.ts';
import { contentOf, cutAfter, failuresOf, pullFrom, pushTo } from './pair.ts';

const home = mkdtempSync(join(temporaryParent(), 'catalogue-sync-'));
after(() => removeFolder(home));
let count = 0;

const start = {
  namespaces: {
    kept: { id: 1, label: 'Kept' },
    a: { id: 2, label: 'A' },
    b: { id: 3, label: 'B' },
  },
  datasets: {
    'kept/kept': { id: 1, label: 'Kept' },
    'a/one': { id: 2, label: 'One' },
    'a/two': { id: 3, label: 'Two' },
    'b/three': { id: 4, label: 'Three' },
  },
  groups: { all: { id: 1, label: 'All' } },
  users: { ann: { id: 1, label: 'Ann' } },
  queries: { q: { id: 1, label: 'Q', dataset: 'kept/kept' } },
};

/** A catalogue and its clone, each with edits of its own. */
async function twoSides(ours: Parameters<Hands['do']>[0][], theirs: typeof ours) {
  const folder = join(home, String(count++));
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  new CatalogueFolder(there, start);
  const [mine, yours] = [
    new Hands(here, 'mine', (name) => /one|two|mine/.test(name) || name.endsWith('/a')),
    new Hands(there, 'yours', (name) => !/one|two|mine/.test(name) && !name.endsWith('/a')),
  ];
  for (const dataset of [0, 1, 2]) yours.do({ kind: 'add version', which: dataset });
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  const base = contentOf(here);
  for (const edit of ours) mine.do(edit);
  for (const edit of theirs) yours.do(edit);
  return { here, there, base, folder };
}

describe('two folders with any edits', () => {
  const choices = fc.constantFrom('ours' as const, 'theirs' as const);

  it('have the same after pull and push', async () => {
    await fc.assert(
      fc.asyncProperty(edits(8), edits(8), choices, async (ours, theirs, choice) => {
        const { here, there, folder } = await twoSides(ours, theirs);
        const before = [contentOf(here), contentOf(there)];
        const asked = await pullFrom(here, there);
        assert.deepEqual(failuresOf(asked), []);
        const settled = await pullFrom(here, there, { choice });
        assert.deepEqual(failuresOf(settled), []);
        // A namespace can't be removed on one side while a dataset has been moved into it on the other.
        const other = choice === 'ours' ? 'theirs' : 'ours';
        if (settled.plan.conflicts.length) await pullFrom(here, there, { choice: other });
        const pushed = await pushTo(here, there);
        assert.deepEqual([failuresOf(pushed), pushed.plan.conflicts], [[], []]);
        assert.deepEqual(contentOf(here), contentOf(there));
        const texts = new Set(before.flatMap((content) => Object.values(content)));
        for (const [path, text] of Object.entries(contentOf(here))) assert.ok(texts.has(text), path);
        for (const again of [await pullFrom(here, there), await pushTo(here, there)])
          assert.deepEqual([again.done, again.plan.conflicts, failuresOf(again)], [[], [], []]);
        rmSync(folder, { recursive: true });
      }),
      {
        numRuns: 12,
        examples: [[[{ kind: 'remove namespace', which: 0 }], [{ kind: 'move dataset', which: 998 }], 'ours']],
      },
    );
  });

  it('lose nothing that one of them alone has changed', async () => {
    await fc.assert(
      fc.asyncProperty(edits(10), async (theirs) => {
        const { here, there, folder } = await twoSides([], theirs);
        const wanted = contentOf(there);
        const pulled = await pullFrom(here, there);
        assert.deepEqual([failuresOf(pulled), pulled.plan.conflicts], [[], []]);
        assert.deepEqual(contentOf(here), wanted);
        assert.deepEqual(contentOf(there), wanted);
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 6 },
    );
  });

  it('come to the same when every run is broken off after any number of operations', async () => {
    await fc.assert(
      fc.asyncProperty(
        edits(6),
        edits(6),
        choices,
        fc.integer({ min: 1, max: 5 }),
        async (ours, theirs, choice, step) => {
          const { here, there, folder } = await twoSides(ours, theirs);
          const copy = join(folder, 'copy');
          for (const name of ['here', 'there']) cpSync(join(folder, name), join(copy, name), { recursive: true });
          const settled = await pullFrom(join(copy, 'here'), join(copy, 'there'), { choice });
          // A namespace can't be removed on one side while a dataset has been moved into it on the other.
          const other = choice === 'ours' ? 'theirs' : 'ours';
          const pulls: SyncOptions[] = [
            { choice },
            ...(settled.plan.conflicts.length > 0 ? [{ choice: other } as const] : []),
          ];
          for (const options of pulls.slice(1)) await pullFrom(join(copy, 'here'), join(copy, 'there'), options);
          await pushTo(join(copy, 'here'), join(copy, 'there'));
          for (const options of [...pulls, null])
            for (let after = step; ; after += step) {
              const cut = { wrap: cutAfter(after) };
              const run = options ? pullFrom(here, there, options, cut) : pushTo(here, there, {}, cut);
              const ended = await run.then(
                (result) => failuresOf(result),
                (error) => error.message,
              );
              if (ended !== 'cut') {
                assert.deepEqual(ended, []);
                break;
              }
            }
          assert.deepEqual(contentOf(here), contentOf(there));
          assert.deepEqual(contentOf(here), contentOf(join(copy, 'here')));
          rmSync(folder, { recursive: true });
        },
      ),
      {
        numRuns: 6,
        examples: [
          [[{ kind: 'move dataset', which: 547 }], [{ kind: 'remove namespace', which: 289 }], 'theirs', 1],
          // Bytes arrive, their version doesn't, and another version of the dataset is removed on the side that got them.
          [[{ kind: 'remove version', which: 2 }], [{ kind: 'add version', which: 2 }], 'ours', 2],
        ],
      },
    );
  });
});
