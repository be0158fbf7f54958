/** Users and groups in files: their own records, and their names in other records. */
import assert from 'node:assert/strict';
import { access, readFile, rm } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import {
  MovedError,
  NotFoundError,
  NotPermittedError,
  UnusableCatalogueError,
  ValidationError,
} from '../../../src/catalogue/errors.ts';
import type { Viewer } from '../../../src/catalogue/permissions.ts';
import type { Refs } from '../../../src/catalogue/ref.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';

const group = (slug: string): Refs['group'] => ({ kind: 'group', slug });
const user = (slug: string): Refs['user'] => ({ kind: 'user', slug });
const viewer = (username: string, more: Partial<Viewer> = {}): Viewer => ({
  username,
  staff: false,
  groups: [],
  ...more,
});

async function open(t: TestContext) {
  const folder = makeFolder(
    {
      namespaces: {
        parks: { id: 1, label: 'Parks', owners: ['editors', 'readers'] },
        water: { id: 2, label: 'Water' },
      },
      groups: { editors: { id: 1, label: 'Editors' }, readers: { id: 2, label: 'Readers' } },
      users: { bob: { id: 2, groups: ['readers'] } },
      files: { 'users/alice.yaml': '# The first\nid: 1\nstaff: true\ngroups: [editors, readers] # both\n' },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  return { folder, files, view: files.for(), text: (path: string) => readFile(folder.path(path), 'utf8') };
}

describe('a user', () => {
  it('has no rights by a group whose record is gone, until it is there again', async (t) => {
    const { files, folder } = await open(t);
    const { token } = await files.accounts.addToken('bob');
    const groups = async () => (await files.accounts.viewerByToken(token))?.groups;
    assert.deepEqual(await groups(), ['readers']);
    await rm(folder.path('groups/readers.yaml'));
    await files.refresh([group('readers')]);
    assert.deepEqual(await groups(), []);
    folder.write('groups/readers.yaml', 'label: Readers\n');
    await files.refresh([group('readers')]);
    assert.deepEqual(await groups(), ['readers']);
  });

  it('is made with a password, which stands in no file of the catalogue', async (t) => {
    const { view, files, text } = await open(t);
    const input = {
      username: 'eve+1@example.org',
      name: 'Eve',
      email: 'eve@example.org',
      groups: ['readers'],
      password: 'paradise',
    };
    const eve = await view.create('user', input);
    assert.deepEqual(
      { ...eve, id: 0 },
      { kind: 'user', slug: input.username, id: 0, name: 'Eve', email: input.email, staff: false, groups: ['readers'] },
    );
    assert.doesNotMatch(await text(`users/${input.username}.yaml`), /password|paradise|username/);
    assert.ok(await files.accounts.verifyPassword(input.username, 'paradise'));
    assert.deepEqual((await view.get<'group'>(group('readers'))).members, ['alice', 'bob', input.username]);
  });

  it('has a name that is nobody else’s, in any case, and that can be one', async (t) => {
    const { view } = await open(t);
    const refused = (username: unknown, message: RegExp) =>
      assert.rejects(view.create('user', { username }), (error: ValidationError) => {
        assert.match(error.fields.username?.[0] ?? '', message, String(username));
        return true;
      });
    for (const taken of ['bob', 'Bob']) await refused(taken, /^A user with that username already exists\.$/);
    for (const bad of ['a b', '../x', '.', '..', 'a/b', 'ü']) await refused(bad, /^Enter a valid username/);
    await refused('me', /reserved/);
    await refused('', /^This field may not be blank\.$/);
    await refused(undefined, /^This field is required\.$/);
    await refused('x'.repeat(151), /no more than 150/);
    await assert.rejects(view.create('user', { username: 'x', groups: ['nobody'] }), {
      fields: { groups: ['There is no group nobody. Add groups/nobody.yaml, or remove it here.'] },
    });
  });

  it('keeps the username, and is edited without a trace of anything else', async (t) => {
    const { view, files, text } = await open(t);
    await assert.rejects(view.edit<'user'>(user('alice'), { username: 'alicia' }), ValidationError);
    const alice = await view.edit<'user'>(user('alice'), { username: 'alice', name: 'Alice', password: 'wonderland' });
    assert.equal(alice.name, 'Alice');
    assert.equal(
      await text('users/alice.yaml'),
      '# The first\nid: 1\nname: Alice\nstaff: true\ngroups: [editors, readers] # both\n',
    );
    assert.ok(await files.accounts.verifyPassword('alice', 'wonderland'));
  });

  it('that is removed takes password and tokens along', async (t) => {
    const { view, files, folder } = await open(t);
    await files.accounts.setPassword('bob', 'builder 7305');
    const { token } = await files.accounts.addToken('bob');
    await view.remove(user('bob'));
    await assert.rejects(access(folder.path('users/bob.yaml')));
    assert.deepEqual(await files.accounts.tokens(), []);
    await view.create('user', { username: 'bob' });
    assert.equal(await files.accounts.verifyPassword('bob', 'builder 7305'), null);
    assert.equal(await files.accounts.viewerByToken(token), null);
    assert.deepEqual((await view.get<'group'>(group('readers'))).members, ['alice']);
  });

  it('whose credentials can’t be removed stays, with them', async (t) => {
    const { view, files, folder, text } = await open(t);
    const { token } = await files.accounts.addToken('bob');
    const [accounts, before] = await Promise.all([text('.catalogue/accounts.json'), text('users/bob.yaml')]);
    folder.write('.catalogue/accounts.json', accounts.slice(0, -3));
    await assert.rejects(view.remove(user('bob')), UnusableCatalogueError);
    folder.write('.catalogue/accounts.json', accounts);
    assert.equal(await text('users/bob.yaml'), before);
    assert.deepEqual(await view.trash.list(), []);
    assert.equal((await files.accounts.viewerByToken(token))?.username, 'bob');
    await view.remove(user('bob'));
    assert.deepEqual(await files.accounts.tokens('bob'), []);
  });

  it('that was removed by hand leaves nothing to the next of the name', async (t) => {
    const { view, files, folder } = await open(t);
    const { token } = await files.accounts.addToken('bob');
    const { rm } = await import('node:fs/promises');
    await rm(folder.path('users/bob.yaml'));
    await files.refresh([user('bob')]);
    await view.create('user', { username: 'bob' });
    assert.equal(await files.accounts.viewerByToken(token), null);
  });
});

describe('a group', () => {
  it('is made with members, who have it in their files', async (t) => {
    const { view, text } = await open(t);
    const made = await view.create('group', { label: 'Water works', members: ['bob'] });
    assert.deepEqual([made.slug, made.members], ['water-works', ['bob']]);
    assert.match(await text('users/bob.yaml'), /- readers\n\s*- water-works\n/);
    assert.doesNotMatch(await text('groups/water-works.yaml'), /members/);
    await assert.rejects(view.create('group', { label: 'Editors' }), {
      fields: { slug: ['group with this slug already exists.'] },
    });
    await assert.rejects(view.create('group', { label: 'X', members: ['nobody'] }), {
      fields: { members: ['There is no user nobody.'] },
    });
  });

  it('has the members of one of two edits at once, not of both', async (t) => {
    const { view } = await open(t);
    for (const username of ['carol', 'dave']) await view.create('user', { username });
    const edits = [['alice', 'carol'], ['bob', 'dave'], ['alice', 'dave'], ['bob']];
    await Promise.all(edits.map((members) => view.edit<'group'>(group('readers'), { members })));
    const { members } = await view.get<'group'>(group('readers'));
    assert.ok(edits.map(String).includes(String(members)), String(members));
  });

  it('has the members that an edit says', async (t) => {
    const { view, text } = await open(t);
    const edited = await view.edit<'group'>(group('editors'), { members: ['bob'] });
    assert.deepEqual(edited.members, ['bob']);
    assert.equal(await text('users/alice.yaml'), '# The first\nid: 1\nstaff: true\ngroups: [readers] # both\n');
    assert.deepEqual((await view.edit<'group'>(group('editors'), { label: 'E' })).members, ['bob']);
    assert.deepEqual((await view.edit<'group'>(group('editors'), { members: [] })).members, []);
  });

  it('that is renamed is so wherever it stands, and found where it was', async (t) => {
    const { view } = await open(t);
    const renamed = await view.edit<'group'>(group('editors'), { slug: 'authors' });
    assert.deepEqual([renamed.slug, renamed.members], ['authors', ['alice']]);
    assert.deepEqual((await view.get<'namespace'>({ kind: 'namespace', slug: 'parks' })).owners, [
      'authors',
      'readers',
    ]);
    assert.deepEqual((await view.get<'user'>(user('alice'))).groups, ['authors', 'readers']);
    await assert.rejects(view.get<'group'>(group('editors')), (error: MovedError) => {
      assert.ok(error instanceof MovedError);
      assert.deepEqual(error.to, group('authors'));
      return true;
    });
    await assert.rejects(view.edit<'group'>(group('authors'), { slug: 'Readers' }), ValidationError);
    assert.deepEqual((await view.get<'user'>(user('alice'))).groups, ['authors', 'readers']);
  });

  it('that is renamed gets nothing back that was taken from it meanwhile', async (t) => {
    const { folder, files, view, text } = await open(t);
    await files.load();
    // By hand, and not read yet.
    const now = {
      'namespaces/parks/namespace.yaml': 'id: 1\nlabel: Parks\nowners: [readers]\n',
      'users/alice.yaml': 'id: 1\nstaff: true\n',
    };
    for (const [path, record] of Object.entries(now)) folder.write(path, record);
    await view.edit<'group'>(group('editors'), { slug: 'writers' });
    assert.match(await text('groups/writers.yaml'), /label: Editors/);
    for (const [path, record] of Object.entries(now)) assert.equal(await text(path), record);
    // Who is a member after the edit is one, whatever was before.
    folder.write('users/bob.yaml', 'id: 2\n');
    await view.edit<'group'>(group('readers'), { slug: 'guests', members: ['bob'] });
    assert.match(await text('users/bob.yaml'), /groups:\s*- guests\n$/);
    assert.match(await text('namespaces/parks/namespace.yaml'), /owners: \[ ?guests ?\]/);
  });

  it('that is removed owns and has nobody, even if it comes back', async (t) => {
    const { view } = await open(t);
    await view.remove(group('editors'));
    assert.deepEqual((await view.get<'namespace'>({ kind: 'namespace', slug: 'parks' })).owners, ['readers']);
    assert.deepEqual((await view.get<'user'>(user('alice'))).groups, ['readers']);
    assert.deepEqual((await view.create('group', { label: 'Editors' })).members, []);
    await view.remove(group('editors'));
    await assert.rejects(view.remove(group('editors')), NotFoundError);
  });
});

describe('users and groups', () => {
  it('are written by staff alone', async (t) => {
    const { files } = await open(t);
    const owner = files.for(viewer('bob', { groups: ['readers'] }));
    const works = [
      () => owner.create('user', { username: 'x' }),
      () => owner.create('user', { username: 'x', namespace: 'parks', staff: true }),
      () => owner.create('group', { label: 'x', namespace: 'parks' }),
      () => owner.edit<'group'>(group('readers'), { members: ['bob'] }),
      () => owner.edit<'user'>(user('alice'), { password: 'x' }),
      () => owner.remove(user('bob')),
      () => owner.remove(group('readers')),
      () => files.for(viewer('root', { staff: true, readOnly: true })).create('user', { username: 'x' }),
      () => files.for(viewer('bob', { readOnly: true })).edit<'user'>(user('bob'), { name: 'x' }),
    ];
    for (const work of works) await assert.rejects(work, NotPermittedError, String(work));
    assert.ok(await files.for(viewer('root', { staff: true })).create('user', { username: 'x' }));
  });

  it('but users write what is theirs and grants nothing', async (t) => {
    const { files } = await open(t);
    const own = files.for(viewer('bob', { groups: ['readers'] }));
    const input = {
      username: 'bob',
      name: 'Bob',
      email: 'bob@example.org',
      password: 'builder 7305',
      staff: true,
      groups: ['editors'],
    };
    const bob = await own.edit<'user'>(user('bob'), input);
    assert.deepEqual([bob.name, bob.email, bob.staff, bob.groups], ['Bob', 'bob@example.org', false, ['readers']]);
    assert.ok(await files.accounts.verifyPassword('bob', 'builder 7305'));
  });

  it('who may only look write nothing, and see what they may see otherwise', async (t) => {
    const { files } = await open(t);
    await files.for().edit<'namespace'>({ kind: 'namespace', slug: 'parks' }, { visibility: 'private' });
    const reader = files.for(viewer('bob', { groups: ['readers'], readOnly: true }));
    assert.equal((await reader.get<'namespace'>({ kind: 'namespace', slug: 'parks' })).label, 'Parks');
    const parks = { kind: 'namespace', slug: 'parks' } as const;
    await assert.rejects(reader.edit<'namespace'>(parks, { label: 'x' }), NotPermittedError);
    await assert.rejects(reader.create('dataset', { label: 'x', namespace: 'parks' }), NotPermittedError);
  });

  it('in a query’s or a dataset’s place do not open the namespaces of others', async (t) => {
    const { files } = await open(t);
    await files.for().create('dataset', { label: 'Wells', namespace: 'water' });
    const owner = files.for(viewer('bob', { groups: ['readers'] }));
    const input = { label: 'x', namespace: 'parks', dataset: 'water/wells' };
    await assert.rejects(owner.create('query', input), NotPermittedError);
  });
});
