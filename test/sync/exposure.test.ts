/**
 * What anybody sees on the remote after each request of a push: nothing that is meant to be private at that moment, whatever else has
 * changed on either side.
 */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { anonymous } from '../../src/catalogue/permissions.ts';
import type { SyncOptions, SyncResult } from '../../src/sync/sync.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { contentOf, edit, failuresOf, filesSeenBy, lookAfterEach, pullFrom, pushTo } from './pair.ts';

const datasetRef = (namespace: string, slug: string) => ({ kind: 'dataset', namespace, slug }) as const;
const namespaceRef = (slug: string) => ({ kind: 'namespace', slug }) as const;
const trees = datasetRef('parks', 'trees');
const plans = datasetRef('secret', 'plans');

const publish = (root: string, ref: ReturnType<typeof datasetRef>, table: string) =>
  edit(root, (catalogue) => catalogue.publish(ref, { source: Readable.from([table]), fileName: 'a.csv' }));

const describeAs = (root: string, name: string) =>
  appendFileSync(
    join(root, name.includes('/') ? `${homeOf(name)}/dataset.yaml` : `namespaces/${name}/namespace.yaml`),
    'description: Other\n',
  );

const versionsOf = (root: string, name: string) =>
  readdirSync(join(root, homeOf(name), 'versions')).map((file) => file.replace('.yaml', ''));

/** Paths of the files of datasets that anybody sees. */
const visibleTo = async (root: string): Promise<readonly string[]> =>
  (await filesSeenBy(anonymous, root)).map(({ path }) => path).filter((path) => /\/datasets\/|^queries\//.test(path));

/** Two catalogues in step: parks/trees is public, secret/plans is in a private namespace. */
async function start(test: TestContext) {
  const [here, there] = [makeFolder({}, test).root, makeFolder({}, test).root];
  for (const root of [here, there]) mkdirSync(join(root, 'namespaces'), { recursive: true });
  await edit(there, async (catalogue) => {
    await catalogue.create('namespace', { label: 'Parks' });
    await catalogue.create('namespace', { label: 'Secret', visibility: 'private' });
    await catalogue.create('namespace', { label: 'Vault', visibility: 'private' });
    await catalogue.create('dataset', { label: 'Trees', namespace: 'parks' });
    await catalogue.create('dataset', { label: 'Plans', namespace: 'secret' });
  });
  await publish(there, trees, 'name,height\noak,1\n');
  await publish(there, plans, 'name,salary\nann,1\n');
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  const seen = new Set<string>();
  const requests: string[] = [];
  /** Pushes, and looks at the remote as anybody after each request. */
  const push = async (options?: SyncOptions): Promise<SyncResult> => {
    seen.clear();
    requests.length = 0;
    const look = async () => {
      for (const path of await visibleTo(there)) seen.add(path);
    };
    await look();
    const wrap = lookAfterEach((changes) => {
      requests.push(...changes.map(({ do: done, path }) => `${done} ${path}`));
      return look();
    });
    return pushTo(here, there, options, { wrap });
  };
  const unseen = (part: string) =>
    assert.deepEqual(
      [...seen].filter((path) => path.includes(part)),
      [],
    );
  /** After a pull and a push, both sides are the same. */
  const settle = async () => {
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    assert.deepEqual(failuresOf(await push()), []);
    assert.deepEqual(contentOf(here), contentOf(there));
  };
  return { here, there, push, unseen, requests, settle };
}

const salaries = 'name,salary\nann,2\n';

describe('a push', () => {
  for (const what of ['namespace', 'dataset'] as const)
    it(`of one version by its name takes along what makes its ${what} private`, async (test) => {
      const { here, push, unseen } = await start(test);
      const ref = what === 'namespace' ? namespaceRef('parks') : trees;
      await edit(here, (catalogue) => catalogue.edit(ref as typeof trees, { visibility: 'private' }));
      const { slug } = (await publish(here, trees, salaries)).version;
      const { done } = await push({ names: [what === 'namespace' ? 'parks/trees' : `parks/trees@${slug}`] });
      assert.ok(done.some(({ path }) => path.endsWith(`${what}.yaml`)));
      assert.ok(done.some(({ path }) => path.includes(slug)));
      unseen(slug);
    });

  it('does not move a dataset into a namespace that is still public, as its record is a conflict', async (test) => {
    const { here, there, push, unseen, settle } = await start(test);
    await edit(here, async (catalogue) => {
      await catalogue.edit(namespaceRef('parks'), { visibility: 'private' });
      await catalogue.edit(plans, { namespace: 'parks' });
    });
    describeAs(there, 'parks');
    const { plan } = await push();
    unseen('plans');
    assert.ok(plan.blocked.some(({ path }) => path === `${homeOf('parks/plans')}/dataset.yaml`));
    assert.equal(versionsOf(there, 'secret/plans').length, 1);
    await pullFrom(here, there, { choice: 'ours' });
    await settle();
    unseen('plans');
    assert.equal(versionsOf(there, 'parks/plans').length, 1);
  });

  it('moves a dataset where more people see it after its other changes', async (test) => {
    const { here, there, push, unseen, requests, settle } = await start(test);
    const [secret = ''] = versionsOf(here, 'secret/plans');
    const { slug } = (await publish(here, plans, 'name,height\noak,2\n')).version;
    await edit(here, async (catalogue) => {
      await catalogue.remove({ kind: 'version', namespace: 'secret', dataset: 'plans', slug: secret });
      await catalogue.edit(plans, { namespace: 'parks', label: 'Public plans' });
    });
    assert.deepEqual(failuresOf(await push()), []);
    unseen(secret);
    assert.deepEqual(versionsOf(there, 'parks/plans'), [slug]);
    assert.equal(requests.at(-1), `move ${homeOf('secret/plans')}/dataset.yaml`);
    assert.deepEqual(contentOf(here), contentOf(there));
    await settle();
  });

  it('makes a dataset public at its former place, after removals, before it moves to where more people see it', async (test) => {
    const { here, there, push, unseen, requests } = await start(test);
    await edit(there, (catalogue) => catalogue.edit(plans, { visibility: 'private' }));
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    const [secret = ''] = versionsOf(here, 'secret/plans');
    const { slug } = (await publish(here, plans, 'name,height\noak,2\n')).version;
    await edit(here, async (catalogue) => {
      await catalogue.remove({ kind: 'version', namespace: 'secret', dataset: 'plans', slug: secret });
      await catalogue.edit(plans, { namespace: 'parks', visibility: 'public' });
    });
    const dryRun = await push({ dryRun: true });
    assert.deepEqual(failuresOf(dryRun), []);
    assert.deepEqual(failuresOf(await push()), []);
    unseen(secret);
    assert.deepEqual(versionsOf(there, 'parks/plans'), [slug]);
    const record = `${homeOf('secret/plans')}/dataset.yaml`;
    assert.deepEqual(requests.slice(-3), [
      `remove ${homeOf('secret/plans')}/versions/${secret}.yaml`,
      `write ${record}`,
      `move ${record}`,
    ]);
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('does not move a dataset where more people see it before its other changes if another one has its former name', async (test) => {
    const { here, there, push, unseen } = await start(test);
    const [secret = ''] = versionsOf(here, 'secret/plans');
    const { slug } = (await publish(here, plans, 'name,height\noak,2\n')).version;
    await edit(here, async (catalogue) => {
      await catalogue.remove({ kind: 'version', namespace: 'secret', dataset: 'plans', slug: secret });
      await catalogue.edit(plans, { namespace: 'parks', label: 'Public plans' });
      await catalogue.create('dataset', { label: 'Other plans', namespace: 'secret', slug: 'plans' });
    });
    await publish(here, plans, salaries);
    const before = contentOf(there);
    const { done, failures, plan } = await push();
    assert.deepEqual([done, failures, contentOf(there)], [[], [], before]);
    const reason = plan.blocked.find(({ path }) => path === `${homeOf('parks/plans')}/dataset.yaml`)?.reason ?? '';
    assert.match(reason, /Give secret\/plans another name, push, and then give it this name again\.$/);
    // As the message says.
    await edit(here, (catalogue) => catalogue.edit(plans, { slug: 'other' }));
    assert.deepEqual(failuresOf(await push()), []);
    unseen(secret);
    await edit(here, (catalogue) => catalogue.edit({ ...plans, slug: 'other' }, { slug: 'plans' }));
    assert.deepEqual(failuresOf(await push()), []);
    unseen('secret/');
    assert.deepEqual(versionsOf(there, 'parks/plans'), [slug]);
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('moves a dataset out of a private namespace after it was made private itself', async (test) => {
    const { here, there, push, unseen, settle } = await start(test);
    await edit(here, (catalogue) => catalogue.edit(plans, { namespace: 'parks', visibility: 'private' }));
    assert.deepEqual(failuresOf(await push({ names: ['parks/plans'] })), []);
    unseen('plans');
    assert.equal(versionsOf(there, 'parks/plans').length, 1);
    await settle();
    unseen('plans');
  });

  for (const [what, change] of [
    ['record is a conflict', (there: string) => describeAs(there, 'secret/plans')],
    [
      'removed version is a conflict',
      (there: string) =>
        appendFileSync(
          join(there, homeOf('secret/plans'), 'versions', `${versionsOf(there, 'secret/plans')[0]}.yaml`),
          '# Reviewed\n',
        ),
    ],
    ['remote has a new version', (there: string) => publish(there, plans, salaries)],
  ] as const)
    it(`does not move a dataset where more people see it while its ${what}`, async (test) => {
      const { here, there, push, unseen } = await start(test);
      const [secret = ''] = versionsOf(here, 'secret/plans');
      await publish(here, plans, 'name,height\noak,2\n');
      await edit(here, async (catalogue) => {
        await catalogue.remove({ kind: 'version', namespace: 'secret', dataset: 'plans', slug: secret });
        await catalogue.edit(plans, { namespace: 'parks', label: 'Ours', visibility: 'private' });
      });
      await change(there);
      const { done, plan } = await push();
      unseen('plans');
      assert.deepEqual(done, []);
      assert.ok(plan.blocked.length > 0);
      assert.ok(versionsOf(there, 'secret/plans').length > 0);
    });

  it('makes a namespace public after the datasets that were moved out of it', async (test) => {
    const { here, push, unseen, settle } = await start(test);
    await edit(here, async (catalogue) => {
      await catalogue.edit(plans, { namespace: 'vault' });
      await catalogue.edit(namespaceRef('secret'), { visibility: 'public' });
    });
    assert.deepEqual(failuresOf(await push()), []);
    unseen('plans');
    await settle();
  });

  for (const [what, ref, name] of [
    ['dataset', trees, 'parks/trees'],
    ['namespace', namespaceRef('parks'), 'parks'],
  ] as const)
    it(`keeps a query back whose ${what} is still public, as its record is a conflict`, async (test) => {
      const { here, there, push, unseen } = await start(test);
      await edit(here, async (catalogue) => {
        await catalogue.edit(ref as typeof trees, { visibility: 'private' });
        await catalogue.create('query', { label: 'Salary of Ann', slug: 'salary', dataset: 'parks/trees' });
      });
      describeAs(there, name);
      await push();
      await push({ names: ['queries/salary'] });
      unseen('queries/salary');
    });

  it('takes what makes a dataset private along with a query by its name', async (test) => {
    const { here, there, push, unseen } = await start(test);
    await edit(here, async (catalogue) => {
      await catalogue.edit(trees, { visibility: 'private' });
      await catalogue.create('query', { label: 'Salary of Ann', slug: 'salary', dataset: 'parks/trees' });
    });
    await push({ names: ['queries/salary'] });
    unseen('queries/salary');
    assert.ok(readdirSync(join(there, 'queries')).includes('salary.yaml'));
  });

  for (const [what, names, change] of [
    ['does not move a dataset where more people see it while one of its queries is a conflict', [], '# Reviewed\n'],
    [
      'takes the removal of a query along with the move of its dataset to where more people see it',
      ['parks/plans'],
      '',
    ],
  ] as const)
    it(what, async (test) => {
      const { here, there, push, unseen } = await start(test);
      await edit(there, (catalogue) =>
        catalogue.create('query', { label: 'Salary of Ann', slug: 'salary', dataset: 'secret/plans' }),
      );
      assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
      await edit(here, async (catalogue) => {
        await catalogue.remove({ kind: 'query', slug: 'salary' });
        await catalogue.edit(plans, { namespace: 'parks', label: 'Public plans' });
      });
      appendFileSync(join(there, 'queries/salary.yaml'), change);
      const { plan } = await push({ names });
      unseen('salary');
      assert.equal(plan.blocked.length > 0, change !== '');
    });

  for (const [what, ref, change] of [
    ['dataset', trees, (there: string) => publish(there, trees, 'name,height\nann,2\n')],
    [
      'namespace',
      namespaceRef('secret'),
      async (there: string) => {
        await edit(there, (catalogue) => catalogue.create('dataset', { label: 'Pay', namespace: 'secret' }));
        await publish(there, datasetRef('secret', 'pay'), salaries);
      },
    ],
  ] as const)
    it(`does not make a ${what} public with what the remote has added to it meanwhile`, async (test) => {
      const { here, there, push, unseen, settle } = await start(test);
      if (ref.kind === 'dataset') {
        await edit(there, (catalogue) => catalogue.edit(ref, { visibility: 'private' }));
        await pullFrom(here, there);
      }
      await edit(here, (catalogue) => catalogue.edit(ref as typeof trees, { visibility: 'public' }));
      await change(there);
      const { plan } = await push();
      assert.ok(
        plan.blocked.some(({ reason }) =>
          /isn't here yet: .*\. Make it as visible as before, pull, and then make it visible to them again\.$/.test(
            reason,
          ),
        ),
      );
      unseen(what === 'dataset' ? 'trees' : 'pay');
      // Whoever makes it public has to see what is in it.
      const pulled = await pullFrom(here, there);
      assert.match(
        pulled.plan.blocked.map(({ reason }) => reason).join('\n'),
        /make the (dataset|namespace) private, pull,/,
      );
      await edit(here, (catalogue) => catalogue.edit(ref as typeof trees, { visibility: 'private' }));
      assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
      await edit(here, (catalogue) => catalogue.edit(ref as typeof trees, { visibility: 'public' }));
      assert.deepEqual(failuresOf(await push()), []);
      await settle();
    });

  for (const [what, change] of [
    ['moved to a public namespace', (catalogue: Catalogue) => catalogue.edit(plans, { namespace: 'parks' })],
    ['made public', (catalogue: Catalogue) => catalogue.edit(namespaceRef('secret'), { visibility: 'public' })],
  ] as const)
    it(`does not send what is new into a dataset that the remote has ${what} meanwhile`, async (test) => {
      const { here, there, push, unseen, settle } = await start(test);
      const { slug } = (await publish(here, plans, salaries)).version;
      await edit(there, (catalogue) => change(catalogue) as Promise<unknown>);
      const { plan } = await push();
      unseen(slug);
      assert.ok(plan.blocked.some(({ reason }) => reason.endsWith('pull first.')));
      await settle();
    });
});
