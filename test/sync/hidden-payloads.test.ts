/** Payloads of versions that aren't ready: the remote hides them from all but owners. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { Viewer } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { failuresOf, pullFrom, pushTo } from './pair.ts';

const eve: Viewer = { username: 'eve', staff: false, groups: [] };
const slug = '20200102030405000000';

describe('the payload of a version that was withdrawn on the remote', () => {
  it('is no local change of those who do not see it there, and comes back with it', async (test) => {
    const there = makeFolder({ ...seed, users: { eve: { id: 6 } } }, test).root;
    const here = makeFolder({ namespaces: {} }, test).root;
    mkdirSync(join(here, 'namespaces'));
    const asEve = { as: eve, viewer: eve };
    await pullFrom(here, there, {}, asEve);
    const payload = join(here, homeOf('parks/trees'), 'data/trees.csv');
    assert.ok(existsSync(payload));
    const setReady = async (ready: boolean) => {
      const catalogue = await openFileCatalogue(there);
      await catalogue.for().edit({ kind: 'version', namespace: 'parks', dataset: 'trees', slug }, { ready });
      await catalogue.close();
    };
    await setReady(false);
    for (const run of [pushTo, pullFrom, pushTo]) {
      const { plan, failures } = await run(here, there, {}, asEve);
      assert.deepEqual([plan.outgoing, failures], [[], []]);
    }
    assert.ok(existsSync(payload));
    rmSync(payload);
    await setReady(true);
    assert.deepEqual(failuresOf(await pullFrom(here, there, {}, asEve)), []);
    assert.ok(existsSync(payload));
  });
});

describe('the payload of a draft', () => {
  it('comes with it, though another version is gone on the remote', async (test) => {
    const there = makeFolder(seed, test).root;
    const here = makeFolder({}, test).root;
    mkdirSync(join(here, 'namespaces'), { recursive: true });
    await pullFrom(here, there);
    const catalogue = await openFileCatalogue(there);
    const dataset = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    const upload = { source: Readable.from(['name\nElm\n']), fileName: 'draft.csv' };
    const { version } = await catalogue.for().publish(dataset, upload);
    const ref = { kind: 'version', namespace: 'parks', dataset: 'trees' } as const;
    await catalogue.for().edit({ ...ref, slug: version.slug }, { ready: false });
    await catalogue.for().remove({ ...ref, slug });
    await catalogue.close();
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    assert.ok(existsSync(join(here, homeOf('parks/trees'), 'data', version.file)));
    assert.deepEqual((await pullFrom(here, there)).done, []);
  });
});
