/** Which scopes are read again for changes that come together. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Scope } from '../../../src/catalogue/layout.ts';
import { ChangeQueue } from '../../../src/files/following/change-queue.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { makeFolder, until } from '../../support/folder.ts';

/** The scopes that are read again after changes at these paths. */
async function rescanned(t: TestContext, paths: readonly string[]): Promise<readonly Scope[]> {
  const rescans: (readonly Scope[])[] = [];
  const queue = new ChangeQueue({
    store: new UnitStore(makeFolder({}, t).root),
    *isUnchanged() {
      yield;
      return false;
    },
    rescan: async (scopes) => void rescans.push(scopes),
  });
  for (const path of paths) queue.push(path);
  const scopes = await until(() => rescans[0] ?? false);
  await queue.close();
  return scopes;
}

const namespaces = (count: number) => Array.from({ length: count }, (_, i) => `namespaces/n${i}`);

it('a few namespaces are read again as folders of their own', async (t) => {
  const scopes = await rescanned(t, namespaces(20));
  assert.deepEqual(
    scopes,
    namespaces(20).map((path) => ({ folder: `${path}/` })),
  );
});

it('many namespaces are read again in one scan of all: one for each would look at all others', async (t) => {
  assert.deepEqual(await rescanned(t, namespaces(1000)), [{ folder: '' }]);
});
