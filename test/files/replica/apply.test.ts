/** Changes of records in a folder: conditions, outcomes, and the files afterwards. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { RecordChange } from '../../../src/catalogue/replica.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { listTrash } from '../../../src/files/writing/trash.ts';
import { given, outcomes, people, sha256, succeed, write } from './replica-support.ts';

const trees = 'namespaces/parks/datasets/trees/dataset.yaml';
const ponds = 'namespaces/water/datasets/ponds/dataset.yaml';
const dataset = (id: number, label = 'New') => `id: ${id}\nlabel: ${label}\n`;

describe('records that are written', { concurrency: 4 }, () => {
  it('need what they name, though the local admin may write references to missing records', async (test) => {
    const { as } = await given(test);
    const told = await outcomes(
      as('alice'),
      write('namespaces/none/datasets/a/dataset.yaml', dataset(20)),
      write('namespaces/parks/datasets/none/versions/v1.yaml', 'ready: false\n'),
      write('namespaces/a/namespace.yaml', 'id: 20\nlabel: A\nowners:\n  - gardeners\n  - nobodies\n'),
      write('queries/a.yaml', 'label: A\ndataset: parks/none\n'),
      write('queries/a.yaml', 'label: A\ndataset: parks/trees\nversion: none\n'),
      write('users/a.yaml', 'groups: [none]\n'),
    );
    const wanted = [
      'namespaces/none/datasets/a/dataset.yaml:1:1: There is no namespace none.',
      'namespaces/parks/datasets/none/versions/v1.yaml:1:1: There is no dataset parks/none.',
      'namespaces/a/namespace.yaml:5:5: There is no group nobodies. Add groups/nobodies.yaml, or remove it here.',
      'queries/a.yaml:2:10: There is no dataset parks/none.',
      'queries/a.yaml:3:10: The dataset parks/trees has no version none.',
      'users/a.yaml:1:10: There is no group none. Add groups/none.yaml, or remove it here.',
    ];
    assert.deepEqual(
      told,
      wanted.map((message) => `ValidationError: ${message}`),
    );
    await succeed(as('localAdmin'), write('queries/a.yaml', 'label: A\ndataset: parks/none\n'));
  });

  it('come one after the other, each on what those before have done', async (test) => {
    const { as, files } = await given(test);
    await succeed(
      as('alice'),
      write('groups/g.yaml', 'label: G\n'),
      write('namespaces/new/namespace.yaml', 'label: New\nowners: [g]\n'),
      write('namespaces/new/datasets/a/dataset.yaml', dataset(20)),
      write('namespaces/new/datasets/a/versions/v1.yaml', 'ready: false\n'),
      write('queries/a.yaml', 'label: A\ndataset: new/a\nversion: v1\n'),
      {
        do: 'move',
        path: 'namespaces/new/namespace.yaml',
        to: 'namespaces/newer/namespace.yaml',
        ifMatch: sha256('label: New\nowners: [g]\n'),
      },
      { do: 'remove', path: 'namespaces/newer/datasets/a/dataset.yaml', ifMatch: sha256(dataset(20)) },
      { do: 'remove', path: 'namespaces/newer/namespace.yaml', ifMatch: sha256('label: New\nowners: [g]\n') },
    );
    assert.equal(files.snapshot.folders.has('newer'), false);
    assert.ok(files.snapshot.queries.has('a'));
  });

  it('are written beside a dataset whose record cannot be read, and its versions can be withdrawn and removed', async (test) => {
    const columns = [{ name: 'height', type: 'integer' }];
    const version = { ready: true, columns, file: { url: 'https://example.org/a.csv' } };
    const { as, files, folder, seen, look } = await given(test, {
      datasets: { 'parks/trees': { id: 11, label: 'Trees', columns } },
      versions: { 'parks/trees@v1': { ...version, id: 1 }, 'parks/trees@v2': { ...version, id: 2 } },
    });
    const replica = as('localAdmin');
    await replica.entry(trees);
    await writeFile(folder.path(trees), Buffer.from('id: 11\nlabel: B\xe4ume\n', 'latin1'));
    const v3 = 'namespaces/parks/datasets/trees/versions/v3.yaml';
    const push = (path: string) =>
      outcomes(replica, write(path, 'ready: false\n'), write(ponds, dataset(13), seen(ponds)));
    // Before the file is read again, and after.
    assert.deepEqual(await push(v3), ['done', 'done']);
    await look();
    assert.deepEqual(await push(v3.replace('v3', 'v4')), ['done', 'done']);
    await replica.fitColumns?.([v3]);
    const [same] = await outcomes(replica, write('namespaces/parks/datasets/a/dataset.yaml', dataset(11)));
    assert.equal(same, 'done', 'what has the id is not known');
    const view = files.for(people.localAdmin);
    const named = (slug: string) => ({ kind: 'version', namespace: 'parks', dataset: 'trees', slug }) as const;
    await view.edit<'version'>(named('v2'), { ready: false });
    await view.remove(named('v1'));
    assert.equal((await view.get<'version'>(named('v2'))).ready, false);
    await assert.rejects(view.get(named('v1')), { name: 'NotFoundError' });
  });

  it('lose the right with the group that gave it', async (test) => {
    const { as, seen } = await given(test);
    const path = 'namespaces/parks/namespace.yaml';
    const told = await outcomes(as('bob'), write(path, dataset(1), seen(path)), write(trees, dataset(11), seen(trees)));
    assert.deepEqual(
      told.map((one) => one.split(':')[0]),
      ['done', 'NotPermittedError'],
    );
  });

  it('have an id of their own; who may not see the other isn’t told its name', async (test) => {
    const { as, seen } = await given(test);
    const told = await outcomes(
      as('bob'),
      write('namespaces/parks/datasets/a/dataset.yaml', dataset(13)),
      write('namespaces/parks/datasets/a/dataset.yaml', dataset(20)),
      write('namespaces/parks/datasets/b/dataset.yaml', dataset(20)),
      write(trees, dataset(11, 'Same id'), seen(trees)),
    );
    assert.deepEqual(told, [
      'ConflictError: The id 13 is already used by dataset water/ponds.',
      'done',
      told[2] ?? '',
      'done',
    ]);
    assert.match(told[2] ?? '', /^ConflictError: The id 20 is already used by /);
    const [hidden] = await outcomes(as('bob'), write('queries/q.yaml', 'id: 1\nlabel: Q\ndataset: parks/trees\n'));
    assert.equal(hidden, 'ConflictError: The id 1 is already used by query tall.');
    const other = await given(test, { datasets: { 'water/hidden': { id: 99, label: 'H', visibility: 'private' } } });
    // An error would tell that there is a dataset: the new one gets another id.
    const place = 'namespaces/parks/datasets/a/dataset.yaml';
    const dry = await other.as('bob').apply([write(place, dataset(99))], { dryRun: true });
    assert.deepEqual(dry, [{ path: place, done: true }]);
    assert.deepEqual(await outcomes(other.as('bob'), write(place, dataset(99))), ['done']);
    assert.notEqual((await other.as('bob').entry(place)).size, 0);
  });

  it('may change ids with each other in two steps', async (test) => {
    const { as, seen } = await given(test);
    const hidden = 'namespaces/parks/datasets/hidden/dataset.yaml';
    await succeed(
      as('bob'),
      write(trees, dataset(30), seen(trees)),
      write(hidden, dataset(11), seen(hidden)),
      write(trees, dataset(12), sha256(dataset(30))),
    );
  });

  it('have a name that differs in more than case, and one file', async (test) => {
    const { as } = await given(test);
    const told = await outcomes(
      as('alice'),
      write('namespaces/parks/datasets/Trees/dataset.yaml', dataset(20)),
      write('namespaces/Parks/namespace.yaml', dataset(20)),
      write('queries/TALL.yaml', 'label: T\ndataset: parks/trees\n'),
      write('queries/tall.json', '{"label":"T","dataset":"parks/trees"}'),
      write('namespaces/parks/datasets/trees/versions/v1.yaml', 'ready: false\n'),
      write('namespaces/parks/datasets/trees/versions/V1.yaml', 'ready: false\n'),
      write('namespaces/parks/datasets/trees/versions/v1.yml', 'ready: false\n'),
    );
    assert.deepEqual(
      told.map((one) => one.split(':')[0]),
      ['ConflictError', 'ConflictError', 'ConflictError', 'ConflictError', 'done', 'ConflictError', 'ConflictError'],
    );
  });

  for (const path of [
    '.catalogue/accounts.json',
    'namespaces/.catalogue/namespace.yaml',
    'namespaces/./parks/namespace.yaml',
    'namespaces//parks/namespace.yaml',
    'namespaces/../users/x.yaml',
    '..\\x.yaml',
    'users/a\0.yaml',
    'users/..yaml',
    'C:/users/x.yaml',
    'namespaces/a b/namespace.yaml',
    'namespaces/a/namespace.yaml/',
    'namespaces/a/Namespace.yaml',
    'Namespaces/a/namespace.yaml',
    'namespaces/a/namespace.YAML',
    'namespaces/parks/datasets/trees/data/a.yaml',
    'namespaces/parks/datasets/trees/versions/../dataset.yaml',
    'site_media/a.yaml',
    `groups/${'x'.repeat(260)}.yaml`,
    'catalogue.yaml/x',
  ])
    it(`have their place in the layout, and not at ${JSON.stringify(path.slice(0, 60))}`, async (test) => {
      const { as } = await given(test);
      const [told = ''] = await outcomes(as('localAdmin'), write(path, 'label: A\n'));
      assert.match(told, /^ValidationError: path: ".*("|…) is not the path of a record\.$/);
    });

  it('go where no link leads out of the folder, or into what is hidden', async (test) => {
    const { folder, as } = await given(test);
    const outside = folder.beside('outside');
    await mkdir(outside);
    await symlink(outside, folder.path('namespaces/linked'));
    await symlink(outside, folder.path('namespaces/parks/datasets/linked'));
    await mkdir(folder.path('.catalogue'), { recursive: true });
    await symlink('../.catalogue', folder.path('namespaces/inside'));
    for (const slug of ['linked', 'inside']) {
      const [told = ''] = await outcomes(as('localAdmin'), write(`namespaces/${slug}/namespace.yaml`, 'label: A\n'));
      assert.match(told, /^ConflictError: namespaces\/.* is a link that leads out/);
    }
    const [told = ''] = await outcomes(as('bob'), write('namespaces/parks/datasets/linked/dataset.yaml', dataset(20)));
    assert.match(told, /^ConflictError: namespaces\/.* is a link that leads out/);
    assert.equal(existsSync(`${outside}/namespace.yaml`) || existsSync(`${outside}/dataset.yaml`), false);
  });

  it('keep half characters and large texts out', async (test) => {
    const { as } = await given(test);
    const [half = '', large = ''] = await outcomes(
      as('localAdmin'),
      write('groups/a.yaml', 'label: "\ud800"\n'),
      write('groups/a.yaml', `label: ${'x'.repeat(1024 * 1024)}\n`),
    );
    assert.match(half, /^ValidationError: .*surrogate/);
    assert.match(large, /^ValidationError: .*the maximum is 1048576/);
  });

  it('are what one of two writers has made of them, and the other is told', async (test) => {
    const { folder, as, seen, text } = await given(test);
    const other = await openFileCatalogue(folder.root);
    test.after(() => other.close());
    const before = seen(trees);
    const both = await Promise.all([
      outcomes(as('bob'), write(trees, dataset(11, 'One'), before)),
      outcomes(other.for(people.alice).replica, write(trees, dataset(11, 'Two'), before)),
    ]);
    const [[one], [two]] = both as unknown as [[string], [string]];
    assert.deepEqual([one, two].map((told) => told.split(':')[0]).sort(), ['StaleError', 'done']);
    assert.equal(text(trees), dataset(11, one === 'done' ? 'One' : 'Two'));
  });

  it('are fixed by staff who have seen just what is broken, and by nobody else', async (test) => {
    const { folder, as, text, look, files } = await given(test);
    const broken = 'label: [\n';
    for (const path of [trees, 'queries/tall.yaml']) folder.write(path, broken);
    await look();
    const to = dataset(11, 'Mended');
    const refused = [
      await outcomes(as('bob'), write(trees, to, sha256(broken))),
      await outcomes(as('alice'), write(trees, to, sha256('else'))),
      await outcomes(as('bob'), { do: 'remove', path: trees, ifMatch: sha256(broken) }),
    ];
    for (const [told = ''] of refused) assert.match(told, /^ConflictError: .*dataset\.yaml:2:1: /);
    assert.equal(text(trees), broken);
    await succeed(as('alice'), write(trees, to, sha256(broken)), {
      do: 'remove',
      path: 'queries/tall.yaml',
      ifMatch: sha256(broken),
    });
    assert.equal(files.snapshot.folders.get('parks')?.datasets.get('trees')?.label, 'Mended');
    assert.equal(files.snapshot.diagnostics.size, 0);
  });

  it('are done again by one who was interrupted', async (test) => {
    const { as, seen } = await given(test);
    const changes: RecordChange[] = [
      write(trees, dataset(11, 'Again'), seen(trees)),
      write('groups/g.yaml', 'label: G\n'),
      { do: 'remove', path: ponds, ifMatch: seen(ponds) },
      { do: 'move', path: 'queries/tall.yaml', to: 'queries/high.yaml', ifMatch: seen('queries/tall.yaml') },
    ];
    await succeed(as('alice'), ...changes);
    await succeed(as('alice'), ...changes);
  });

  it('go to the trash with the name of who removed them', async (test) => {
    const { folder, as, seen } = await given(test);
    await succeed(as('bob'), { do: 'remove', path: trees, ifMatch: seen(trees) });
    const [entry] = await listTrash(folder.root);
    assert.deepEqual([entry?.by, entry?.paths], ['bob', ['namespaces/parks/datasets/trees']]);
  });

  it('leave a namespace that still has datasets where it is', async (test) => {
    const { as, seen } = await given(test);
    const path = 'namespaces/water/namespace.yaml';
    const [told] = await outcomes(as('alice'), { do: 'remove', path, ifMatch: seen(path) });
    assert.equal(told, 'ConflictError: The namespace water still has a dataset. Remove or move them first.');
  });

  it('move between places of a kind, without a change to their text', async (test) => {
    const { as, seen, text } = await given(test);
    const before = text(trees);
    const to = 'namespaces/parks/datasets/oaks/dataset.yaml';
    const move = (path: string, goal: string): RecordChange => ({ do: 'move', path, to: goal, ifMatch: seen(path) });
    const refused = await outcomes(
      as('alice'),
      move(trees, 'queries/trees.yaml'),
      move(trees, 'namespaces/parks/datasets/oaks/dataset.json'),
      move(trees, 'namespaces/none/datasets/oaks/dataset.yaml'),
      move(trees, 'namespaces/parks/datasets/HIDDEN/dataset.yaml'),
      move('users/eve.yaml', 'users/adam.yaml'),
    );
    assert.deepEqual(
      refused.map((told) => told.split(':')[0]),
      ['ValidationError', 'ValidationError', 'ValidationError', 'ConflictError', 'ValidationError'],
    );
    await succeed(as('bob'), move(trees, to));
    assert.equal(text(to), before);
    await succeed(as('bob'), {
      do: 'move',
      path: to,
      to: 'namespaces/parks/datasets/OAKS/dataset.yaml',
      ifMatch: seen(to),
    });
  });
});

describe('users and groups that are written', { concurrency: 4 }, () => {
  it('sign in with nothing that one of the same name had', async (test) => {
    const { folder, files, as, seen } = await given(test);
    const { token } = await files.accounts.addToken('eve');
    await rm(folder.path('users/eve.yaml'));
    await files.refresh([{ folder: 'users/' }]);
    await succeed(as('alice'), write('users/eve.yaml', 'staff: true\n'));
    assert.equal(await files.accounts.viewerByToken(token), null);
    const again = await files.accounts.addToken('eve');
    await succeed(as('alice'), { do: 'remove', path: 'users/eve.yaml', ifMatch: seen('users/eve.yaml') });
    assert.equal(await files.accounts.viewerByToken(again.token), null);
    assert.deepEqual(await files.accounts.tokens('eve').catch(() => []), []);
  });

  it('take a group’s name along wherever it stands', async (test) => {
    const { files, as, seen } = await given(test);
    const [from, to] = ['groups/gardeners.yaml', 'groups/rangers.yaml'];
    await succeed(as('alice'), { do: 'move', path: from, to, ifMatch: seen(from) });
    assert.deepEqual(files.snapshot.users.get('bob')?.groups, ['rangers']);
    assert.deepEqual(files.snapshot.folders.get('parks')?.namespace?.owners, ['rangers']);
    await succeed(as('alice'), { do: 'remove', path: to, ifMatch: seen(to) });
    assert.deepEqual(files.snapshot.users.get('bob')?.groups, []);
    assert.deepEqual(files.snapshot.folders.get('parks')?.namespace?.owners, []);
  });
});
