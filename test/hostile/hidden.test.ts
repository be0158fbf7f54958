/** Answers to writes don't tell that something hidden has an id or a name. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, until } from '../support/folder.ts';

const datasets = { 'secret/plans': { id: 99, label: 'Plans' }, 'parks/trees': { id: 1, label: 'Trees' } };
const content = {
  datasets: { 'water/ponds': { id: 98, label: 'Ponds', visibility: 'private' }, ...datasets },
  versions: { 'water/ponds@1': { id: 7, label: 'a', datetime: '2020-01-01T00:00:00Z', ready: false } },
  queries: {
    deep: { id: 5, label: 'Deep', dataset: 'water/ponds', aliases: ['deeper'] },
    tall: { id: 6, label: 'Tall', dataset: 'parks/trees' },
  },
};

/** bob owns parks, and may not see water/ponds and the query about it. */
async function serveHidden(test: TestContext) {
  const server = await serveAccounts(test, {}, content);
  const { token } = await server.accounts.addToken('bob');
  const write = async (path: string, text: string, ifMatch: string | null = null) => {
    const { body } = await server.send('PATCH', '/api/v1/files/', [{ do: 'write', path, text, ifMatch }], token);
    return body[0];
  };
  return { ...server, token, write };
}

describe('the id of a hidden record', () => {
  it('is replaced in a record that is pushed', async (test) => {
    const { write, ask, token } = await serveHidden(test);
    const home = homeOf('parks/new');
    const texts = {
      [`${home}/dataset.yaml`]: '# Mine\nid: 98\nlabel: New\n',
      [`${home}/versions/1.yaml`]: 'id: 7\nlabel: a\ndatetime: 2020-01-01T00:00:00Z\nready: false\n',
      'queries/new.yaml': 'id: 5\nlabel: New\ndataset: parks/trees\n',
    };
    for (const [path, text] of Object.entries(texts)) {
      assert.deepEqual(await write(path, text), { path, status: 200 });
      const { text: found } = await until(async () => {
        const answer = await ask(`/api/v1/files/${path}`, {}, token);
        return answer.status === 200 && answer;
      });
      assert.match(found, /id: \d+\n/);
      assert.equal(found.replace(/id: \d+/, ''), text.replace(/id: \d+/, ''));
      assert.notEqual(found, text);
    }
    // That of a record which is seen is a conflict that says so.
    const { status, detail } = await write(`${homeOf('parks/other')}/dataset.yaml`, 'id: 1\nlabel: Other\n');
    assert.deepEqual([status, detail], [409, 'The id 1 is already used by dataset parks/trees.']);
  });
});

describe('the name of a hidden record', () => {
  it('is refused in words that do not tell of it', async (test) => {
    const { send, token } = await serveHidden(test);
    const query = (slug: string) =>
      send(
        'POST',
        '/api/v1/queries/',
        { label: 'Mine', slug, dataset: '/api/v1/namespaces/parks/datasets/trees/' },
        token,
      );
    const words = { slug: ['This slug is not available. Choose another.'] };
    assert.deepEqual((await query('deep')).body, words);
    assert.deepEqual((await query('Deep')).body, words);
    assert.deepEqual((await query('Tall')).body, { slug: ['query with this slug already exists.'] });
    const renamed = await send('PATCH', '/api/v1/queries/tall/', { slug: 'deep' }, token);
    assert.deepEqual([renamed.status, renamed.body], [400, words]);
  });

  it('is refused in the same words if it is that of a namespace', async (test) => {
    const { send, accounts, ask, folder } = await serveHidden(test);
    folder.write('groups/swans.yaml', 'id: 2\nlabel: Swans\n');
    folder.write('users/eve.yaml', 'id: 3\ngroups: [swans]\n');
    folder.write('namespaces/pond/namespace.yaml', 'id: 4\nlabel: Pond\nowners: [swans]\n');
    await until(async () => (await ask('/api/v1/namespaces/pond/')).text.includes('groups/swans'));
    const { token } = await accounts.addToken('eve');
    const words = { slug: ['This slug is not available. Choose another.'] };
    for (const slug of ['secret', 'Secret']) {
      const renamed = await send('PATCH', '/api/v1/namespaces/pond/', { slug }, token);
      assert.deepEqual([renamed.status, renamed.body], [400, words]);
    }
    const path = 'namespaces/pond/namespace.yaml';
    const { headers } = await ask(`/api/v1/files/${path}`, {}, token);
    const ifMatch = /"(\w+)"/.exec(headers.get('etag') ?? '')?.[1] ?? '';
    for (const [slug, detail] of [
      ['secret', 'This name is not available. Choose another.'],
      ['Secret', 'This name is not available. Choose another.'],
      ['parks', 'There is a namespace parks already.'],
    ]) {
      const move = { do: 'move', path, to: `namespaces/${slug}/namespace.yaml`, ifMatch };
      const pushed = await send('PATCH', '/api/v1/files/', [move], token);
      assert.deepEqual(pushed.body, [{ path, status: 409, detail }]);
    }
    const { body } = await send('PATCH', '/api/v1/namespaces/pond/', { slug: 'parks' }, token);
    assert.deepEqual(body, { slug: ['namespace with this slug already exists.'] });
  });

  it('and its former names are refused as aliases in the words for any other', async (test) => {
    const { write, ask, token } = await serveHidden(test);
    const path = 'queries/tall.yaml';
    const { headers } = await ask(`/api/v1/files/${path}`, {}, token);
    const ifMatch = /"(\w+)"/.exec(headers.get('etag') ?? '')?.[1] ?? '';
    const text = (alias: string) => `id: 6\nlabel: Tall\ndataset: parks/trees\naliases: [${alias}]\n`;
    for (const alias of ['deep', 'deeper'])
      assert.deepEqual(await write(path, text(alias), ifMatch), {
        path,
        status: 409,
        detail: `The name ${alias} is not available: leave it out of the aliases.`,
      });
  });

  it('opens no image that only hidden datasets show', async (test) => {
    const { send, ask, token, folder } = await serveHidden(test);
    folder.write('site_media/pond.png', 'a pond');
    folder.write(
      `${homeOf('water/ponds')}/dataset.yaml`,
      'id: 98\nlabel: P\nvisibility: private\nimage: /site_media/pond.png\n',
    );
    await until(async () => (await ask('/site_media/pond.png')).status === 404);
    const trees = '/api/v1/namespaces/parks/datasets/trees/';
    for (const fields of [{ image: '/site_media/pond.png' }, { description: '![Pond](/site_media/p%6Fnd.png)' }]) {
      const { status, body } = await send('PATCH', trees, fields, token);
      const detail = 'The image site_media/pond.png is not available: add it under another name.';
      assert.deepEqual([status, body], [409, { detail }]);
    }
    for (const as of [undefined, token]) assert.equal((await ask('/site_media/pond.png', {}, as)).status, 404);
    assert.equal((await send('PATCH', trees, { image: '/site_media/other.png' }, token)).status, 200);
  });

  it('are images that only hidden records show, whatever their names', async (test) => {
    const { send, ask, token, folder } = await serveHidden(test);
    const names = ['plan(1).png', 'my plan.png', 'a_(b)_c.png', 'column.png', 'notes.png', 'space.png', 'shared.png'];
    for (const name of names) folder.write(`site_media/${name}`, 'a plan');
    // Before a hidden record shows the same image: after that, it is refused.
    const trees = '/api/v1/namespaces/parks/datasets/trees/';
    await send('PATCH', trees, { description: '![](/site_media/shared.png) ![](</site_media/space.png>)' }, token);
    folder.write(
      `${homeOf('water/ponds')}/dataset.yaml`,
      [
        'id: 98',
        'label: P',
        'visibility: private',
        'image: /site_media/plan(1).png',
        'showcase_image: /site_media/my plan.png',
        'description: See ![Pond](/site_media/a_(b)_c.png) (and /site_media/shared.png).',
        'columns: [{name: a, type: string, description: "![](/site_media/column.png)"}]',
      ].join('\n'),
    );
    await until(async () => (await ask('/site_media/plan(1).png')).status === 404);
    const statuses = await Promise.all(
      names.map(async (name) => (await ask(`/site_media/${encodeURIComponent(name)}`)).status),
    );
    assert.deepEqual(statuses, [404, 404, 404, 404, 200, 200, 200]);
    const description = '![](/site_media/my%20plan.png)';
    for (const address of [trees, '/api/v1/namespaces/parks/'])
      assert.equal((await send('PATCH', address, { description }, token)).status, 409, address);
  });

  it('is no reference, as if it were not there', async (test) => {
    const { send, token } = await serveHidden(test);
    const link = (slug: string) => `/api/v1/namespaces/water/datasets/${slug}/`;
    const answers = await Promise.all(
      ['ponds', 'nothing'].map((slug) => send('POST', '/api/v1/queries/', { label: 'Q', dataset: link(slug) }, token)),
    );
    assert.deepEqual(answers[0]?.body, answers[1]?.body);
    assert.equal(answers[0]?.status, 400);
  });
});

describe('a broken record that was never valid', () => {
  const [pay, trees, open] = [homeOf('parks/pay'), homeOf('parks/trees'), homeOf('parks/open')];
  const hiddenFiles = {
    // Private: it can't be parsed, or one of its fields is wrong.
    [`${pay}/dataset.yaml`]: 'label: [\nvisibility: private\n',
    [`${pay}/versions/1.yaml`]: 'id: 30\nlabel: Salaries\ndatetime: 2020-01-01T00:00:00Z\nready: false\n',
    [`${homeOf('parks/wages')}/dataset.json`]: '{"label": 1, "visibility": "private"}',
    // Drafts of a public dataset.
    [`${trees}/versions/next.yaml`]: 'label: Next\ndatetime: soon\ndraft: true\n',
    [`${trees}/versions/last.json`]: '{"label": "Last", "draft":true,',
    // Not UTF-8, so what it says isn't known.
    [`${homeOf('parks/roads')}/dataset.yaml`]: Buffer.from('label: Stra\xdfen\nvisibility: private\n', 'latin1'),
    [`${trees}/versions/first.yaml`]: Buffer.from('label: \xc9t\xe9\ndraft: true\n', 'latin1'),
  };
  const publicFiles = {
    [`${open}/dataset.yaml`]: 'label: [\n',
    [`${trees}/versions/old.yaml`]: 'label: Old\ndatetime: long ago\n',
  };

  it('is hidden, with its bytes, if its text says that it is private or a draft, and if it is not readable', async (test) => {
    const files = { ...hiddenFiles, ...publicFiles };
    const { ask, accounts } = await serveAccounts(test, {}, { datasets, files });
    const [hidden, all] = [Object.keys(hiddenFiles), Object.keys(files)].map((paths) => paths.sort());
    const foundBy = async (token?: string) => {
      const { body } = await ask('/api/v1/intrinsecus/?page_size=100', {}, token);
      const listed = (body.results as { path: string }[]).map(({ path }) => path);
      const manifest = (await ask('/api/v1/files/', {}, token)).text;
      const answers = await Promise.all(
        all?.map(async (path) => [path, (await ask(`/api/v1/files/${path}`, {}, token)).status] as const) ?? [],
      );
      return all?.filter((path) => {
        const isFound = listed.includes(path);
        assert.equal(manifest.includes(path), isFound, path);
        assert.ok(
          answers.some(([one, status]) => one === path && status === (isFound ? 200 : 404)),
          path,
        );
        return isFound;
      });
    };
    const { token: eve } = await accounts.addToken('eve');
    const { token: bob } = await accounts.addToken('bob');
    const rest = Object.keys(publicFiles).sort();
    assert.deepEqual([await foundBy(), await foundBy(eve), await foundBy(bob)], [rest, rest, all]);
    assert.equal(hidden?.length, 7);
  });
});

describe('a record that breaks while the server runs', () => {
  const texts = {
    'namespaces/parks/namespace.yaml': 'owners: [gardeners]\nvisibility: private\ndescription: Secret\nlabel: [\n',
    [`${homeOf('parks/trees')}/dataset.yaml`]: 'visibility: private\ndescription: Secret\nlabel: [\n',
    [`${homeOf('parks/trees')}/versions/1.yaml`]: 'draft: true\nnotes: Secret\nlabel: [\n',
    // A query is as private as its dataset, and of which it is isn't known.
    'queries/tall.yaml': 'dataset: secret/plans\ndescription: Secret\nlabel: [\n',
  };
  for (const [path, text] of Object.entries(texts))
    it(`is hidden, with its bytes, if its text says now that it is private or a draft: ${path}`, async (test) => {
      const versions = { 'parks/trees@1': { id: 7, label: 'a', datetime: '2020-01-01T00:00:00Z', ready: false } };
      const { queries } = content;
      const { ask, accounts, folder } = await serveAccounts(test, {}, { datasets, versions, queries });
      const { token: eve } = await accounts.addToken('eve');
      const { token: bob } = await accounts.addToken('bob');
      const problems = async (token?: string) => (await ask('/api/v1/intrinsecus/?status=invalid', {}, token)).body;
      assert.equal((await ask(`/api/v1/files/${path}`)).status, 200);
      folder.write(path, text);
      await until(async () => (await problems(bob)).count === 1);
      for (const token of [undefined, eve]) {
        assert.equal((await problems(token)).count, 0);
        const [files, manifest] = await Promise.all([
          ask('/api/v1/intrinsecus/?page_size=100', {}, token),
          ask('/api/v1/files/', {}, token),
        ]);
        assert.equal((await ask(`/api/v1/files/${path}`, {}, token)).status, 404);
        assert.ok(!files.text.includes(path) && !manifest.text.includes(path));
      }
      assert.equal((await ask(`/api/v1/files/${path}`, {}, bob)).status, 200);
    });
});

describe('a record that breaks and names another visibility than public', () => {
  const [trees, parks] = [`${homeOf('parks/trees')}/dataset.yaml`, 'namespaces/parks/namespace.yaml'];
  const conflict =
    'label: Trees\n<<<<<<< HEAD\ndescription: Ours\n=======\nvisibility: private\n>>>>>>> priv\nkeywords: []\n';
  const broken: Readonly<Record<string, readonly [path: string, text: string | Buffer]>> = {
    'a merge conflict': [trees, conflict],
    'a typing error': [trees, 'label: Trees\nvisibility: private\nkeywords: [\n'],
    'a misspelled value': [trees, 'label: Trees\nvisibility: privat\n'],
    'a misspelled name': [trees, 'label: Trees\nvisibilty: private\nid: x\n'],
    'a wrong indentation': [trees, 'label: Trees\n  visibility: private\n'],
    'Latin-1': [trees, Buffer.from('label: B\xe4ume\nvisibility: private\n', 'latin1')],
    'UTF-16': [trees, Buffer.from('\ufefflabel: B\xe4ume\nvisibility: private\n', 'utf16le')],
    'a namespace in conflict': [parks, conflict],
  };
  for (const [why, [path, text]] of Object.entries(broken))
    it(`is private until it is fixed, with what is added to it: ${why}`, async (test) => {
      const { ask, accounts, folder } = await serveAccounts(test, {}, { datasets });
      const { token: bob } = await accounts.addToken('bob');
      const { token: eve } = await accounts.addToken('eve');
      const api = '/api/v1/namespaces/parks/datasets/trees';
      const statuses = (token?: string) =>
        Promise.all(
          ['/', '/version/20260101000000000000/', '/download/'].map(
            async (rest) => (await ask(api + rest, {}, token)).status,
          ),
        );
      const before = await readFile(folder.path(path));
      assert.deepEqual(await statuses(), [200, 404, 404]);
      folder.write(path, text);
      folder.write(`${homeOf('parks/trees')}/data/20260101000000000000.csv`, 'name,salary\nx,1\n');
      folder.write(
        `${homeOf('parks/trees')}/versions/20260101000000000000.yaml`,
        'id: 5\nlabel: a\ndatetime: 2026-01-01T00:00:00Z\nready: true\nfile: { name: 20260101000000000000.csv }\n',
      );
      await until(async () => (await statuses(bob)).every((status) => status === 200));
      await until(async () => (await statuses()).every((status) => status === 404));
      assert.deepEqual(await statuses(eve), [404, 404, 404]);
      folder.write(path, 'label: Other\nkeywords: [\n');
      await until(async () => (await ask(`/api/v1/files/${path}`, {}, bob)).text.includes('Other'));
      assert.deepEqual(await statuses(), [404, 404, 404], 'broken, and no longer with the line');
      folder.write(path, before);
      await until(async () => (await statuses()).every((status) => status === 200));
    });

  it('stays public if its text says so, or nothing of it', async (test) => {
    const { ask, accounts, folder } = await serveAccounts(test, {}, { datasets });
    const { token: alice } = await accounts.addToken('alice');
    const texts = [
      'label: Trees\nvisibility: public\nkeywords: [\n',
      'label: Private trees\ncolumns:\n  - name: visibility\n  - [\n',
      'label: Trees\nformer:\n  visibility: float\n  visits: [\n',
    ];
    for (const text of texts) {
      folder.write(trees, text);
      await until(async () => (await ask(`/api/v1/files/${trees}`, {}, alice)).text === text);
      assert.equal((await ask('/api/v1/namespaces/parks/datasets/trees/')).status, 200, text);
    }
  });

  it('is not ready, if it is a version that says that it is withdrawn or a draft', async (test) => {
    const version = 'label: a\ndatetime: 2020-01-01T00:00:00Z\nfile: { name: 1.csv }\n';
    const record = `${homeOf('parks/trees')}/versions/1.yaml`;
    const files = { [record]: version, [`${homeOf('parks/trees')}/data/1.csv`]: 'a\n1\n' };
    const { ask, folder } = await serveAccounts(test, {}, { datasets, files });
    const status = async () => (await ask('/api/v1/namespaces/parks/datasets/trees/version/1/download/')).status;
    for (const line of ['ready: false', 'draft: true']) {
      assert.equal(await status(), 200);
      folder.write(record, `${version}<<<<<<< HEAD\nnotes: x\n=======\n${line}\n>>>>>>> other\n`);
      await until(async () => (await status()) === 404);
      folder.write(record, version);
      await until(async () => (await status()) === 200);
    }
  });
});

describe('a second file of a record', () => {
  it('is hidden, with its bytes: it is not read, and may say that it is private', async (test) => {
    const first = `${homeOf('parks/trees')}/versions/1.yaml`;
    const hidden = {
      [`${homeOf('parks/trees')}/dataset.json`]: '{"label": "Secret", "visibility": "private"}',
      [`${homeOf('parks/trees')}/versions/1.json`]: '{"label": "Secret", "draft": true}',
      'queries/tall.json': '{"label": "Secret", "dataset": "secret/plans"}',
    };
    const files = { [first]: 'label: a\ndatetime: 2020-01-01T00:00:00Z\nready: false\n', ...hidden };
    const { ask, accounts } = await serveAccounts(
      test,
      {},
      { datasets, queries: { tall: content.queries.tall }, files },
    );
    const { token: bob } = await accounts.addToken('bob');
    const problems = async (token?: string) => (await ask('/api/v1/intrinsecus/?status=invalid', {}, token)).body;
    assert.deepEqual([(await problems()).count, (await problems(bob)).count], [0, 3]);
    for (const path of Object.keys(hidden)) {
      const statuses = [
        (await ask(`/api/v1/files/${path}`)).status,
        (await ask(`/api/v1/files/${path}`, {}, bob)).status,
      ];
      assert.deepEqual(statuses, [404, 200], path);
    }
    assert.equal((await ask(`/api/v1/files/${first}`)).status, 200);
  });
});
