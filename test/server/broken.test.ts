/** Broken files take nothing down: the last valid state stays served, the problem is reported, and its fix is logged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { homeOf, until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const trees = `${homeOf('parks/trees')}/dataset.yaml`;
const { base, folder, log } = await served({
  namespaces: { parks: { label: 'Parks' }, water: { label: 'Water' } },
  settings: { people: 'public' },
  datasets: { 'parks/trees': { label: 'Trees' }, 'water/wells': { label: 'Wells' } },
  groups: { editors: { label: 'Editors' } },
  files: { 'namespaces/odd/namespace.yaml': 'label: [', [`${homeOf('odd/one')}/dataset.yaml`]: 'label: One\n' },
});
const api = `${base}/api/v1`;

interface Entry {
  id: number;
  path: string;
  kind: string;
  resource: string | null;
  status: string;
  problems: { line: number; column: number; pointer: string; message: string }[];
}
const get = async <T>(path: string) => {
  const answer = await fetch(`${api}${path}`);
  assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
  return (await answer.json()) as T;
};
const invalid = async () => (await get<{ results: Entry[] }>('/intrinsecus/?status=invalid&page_size=100')).results;
const problemsOf = (path: string) =>
  until(async () => (await invalid()).find((entry) => entry.path === path)?.problems ?? false);
const fixed = (path: string) => until(async () => !(await invalid()).some((entry) => entry.path === path));

describe('a record that breaks', () => {
  const cases: readonly (readonly [
    why: string,
    text: string,
    line: number,
    column: number,
    pointer: string,
    RegExp,
  ])[] = [
    ['no YAML', 'label: Trees\nkeywords: [a, b\n', 3, 1, '', /./],
    ['a tab', 'label: Trees\n\tid: 1\n', 2, 1, '', /tab/i],
    ['another type', 'label: Trees\nid: seven\n', 2, 5, '/id', /^id must be a whole number, not "seven"\.$/],
    ['to be quoted', 'label: 1.10\n', 1, 8, '/label', /^label must be text, but reads as 1\.1\. Write it in quotes/],
    ['an item', 'label: x\nkeywords:\n  - a\n  - 7\n', 4, 5, '/keywords/1', /text/],
    ['without a label', 'id: 7\n', 1, 1, '', /^"label" is missing/],
    ['empty', '', 1, 1, '', /nothing|empty/],
    ['a list', '- a\n', 1, 1, '', /list/],
    [
      'a merge conflict',
      'label: a\n<<<<<<< HEAD\nid: 1\n=======\nid: 2\n>>>>>>> feature\n',
      2,
      1,
      '',
      /^Unresolved merge conflict in lines 2 to 6 \(HEAD and feature\): keep /,
    ],
    ['two of a key', 'label: a\nlabel: b\n', 2, 1, '/label', /twice/],
  ];
  for (const [why, text, line, column, pointer, message] of cases)
    it(`${why}: stays as it was, and says where and what`, async () => {
      folder.write(trees, text);
      const [problem] = await problemsOf(trees);
      assert.deepEqual([problem?.line, problem?.column, problem?.pointer], [line, column, pointer], problem?.message);
      assert.match(problem?.message ?? '', message);
      assert.equal((await get<{ label: string }>('/namespaces/parks/datasets/trees/')).label, 'Trees');
      assert.equal((await get<{ count: number }>('/datasets/?namespace=parks')).count, 1);
      assert.ok(log.some((entry) => entry.startsWith(`${trees}:${line}:${column}: `)));

      folder.write(trees, 'label: Trees\n');
      await fixed(trees);
      assert.ok(log.includes(`${trees}: fixed.`));
    });

  it('has an entry of its own, with all that is known of it', async () => {
    folder.write(trees, 'label: 7\n');
    await problemsOf(trees);
    const entry = (await invalid()).find(({ path }) => path === trees);
    assert.ok(entry);
    assert.deepEqual(await get(`/intrinsecus/${entry.id}/`), entry);
    assert.equal(entry.kind, 'dataset');
    assert.equal(entry.resource, `${api}/namespaces/parks/datasets/trees/`);
    folder.write(trees, 'label: Trees\n');
    await fixed(trees);
    assert.equal((await get<Entry>(`/intrinsecus/${entry.id}/`)).status, 'ok');
  });

  it('is no resource where it never was one', async () => {
    const path = `${homeOf('parks/new')}/dataset.yaml`;
    folder.write(path, 'label: 7\n');
    await problemsOf(path);
    const entry = (await invalid()).find((one) => one.path === path);
    assert.equal(entry?.resource, null);
    assert.equal((await fetch(`${api}/namespaces/parks/datasets/new/`)).status, 404);
    folder.write(path, 'label: New\n');
    await until(async () => (await fetch(`${api}/namespaces/parks/datasets/new/`)).ok);
    await fixed(path);
  });
});

describe('a namespace.yaml', () => {
  it('that is broken from the start hides nothing that was meant to be seen', async () => {
    assert.equal((await get<{ label: string }>('/namespaces/odd/')).label, 'odd');
    assert.equal((await get<{ label: string }>('/namespaces/odd/datasets/one/')).label, 'One');
    folder.write('namespaces/odd/namespace.yaml', 'label: Odd\n');
    await until(async () => (await get<{ label: string }>('/namespaces/odd/')).label === 'Odd');
  });

  it('that is broken from the start shows nothing that may have been meant to be hidden', async () => {
    folder.write('namespaces/shy/namespace.yaml', 'label: [\nvisibility: private\n');
    folder.write(`${homeOf('shy/one')}/dataset.yaml`, 'label: One\n');
    folder.write(`${homeOf('odd/two')}/dataset.yaml`, 'label: Two\n');
    await until(async () => (await get<{ label: string }>('/namespaces/odd/datasets/two/')).label === 'Two');
    assert.equal((await fetch(`${api}/namespaces/shy/`)).status, 404);
    assert.equal((await fetch(`${api}/namespaces/shy/datasets/one/`)).status, 404);
    assert.ok(!(await invalid()).some(({ path }) => path.includes('shy')));
  });

  it('that breaks while it is private keeps hiding', async () => {
    folder.write('namespaces/water/namespace.yaml', 'label: Water\nvisibility: private\n');
    await until(async () => (await fetch(`${api}/namespaces/water/`)).status === 404);
    folder.write('namespaces/water/namespace.yaml', 'label: [\n');
    await until(() => log.some((line) => line.startsWith('namespaces/water/namespace.yaml:')));
    assert.equal((await fetch(`${api}/namespaces/water/datasets/wells/`)).status, 404);
    folder.write('namespaces/water/namespace.yaml', 'label: Water\n');
    await until(async () => (await fetch(`${api}/namespaces/water/`)).ok);
  });
});

describe('a dataset.yaml', () => {
  it('that is broken from the start tells nothing that may have been meant to be hidden', async () => {
    for (const [slug, text] of [
      ['shy', 'label: [\nvisibility: private\n'],
      ['mute', ''],
    ] as const) {
      folder.write(`queries/of-${slug}.yaml`, `label: Of ${slug}\ndataset: parks/${slug}\n`);
      folder.write(`${homeOf(`parks/${slug}`)}/versions/20200101000000000000.yaml`, 'label: [\n');
      folder.write(`${homeOf(`parks/${slug}`)}/dataset.yaml`, text);
    }
    folder.write(`queries/garbled.yaml`, 'label: [\ndataset: parks/shy\n');
    folder.write(`${homeOf('parks/loud')}/dataset.yaml`, 'label: [\n');
    await problemsOf(`${homeOf('parks/loud')}/dataset.yaml`);
    await until(() => ['shy', 'mute', 'garbled'].every((name) => log.some((line) => line.includes(name))));
    for (const list of ['datasets', 'versions', 'queries', 'intrinsecus', 'intrinsecus/?status=invalid'])
      assert.doesNotMatch(await (await fetch(`${api}/${list}?page_size=1000`)).text(), /shy|mute|garbled/, list);
    assert.equal((await fetch(`${api}/queries/of-shy/`)).status, 404);
    assert.equal((await fetch(`${api}/namespaces/parks/datasets/shy/`)).status, 404);
    folder.write(`${homeOf('parks/shy')}/dataset.yaml`, 'label: Shy\n');
    await until(async () => (await fetch(`${api}/queries/of-shy/`)).ok);
  });
});

describe('settings', () => {
  it('that break stay as they were', async () => {
    folder.write('catalogue.yaml', 'title: Good\npage_size: 1\n');
    await until(async () => (await get<{ results: object[] }>('/datasets/')).results.length === 1);
    folder.write('catalogue.yaml', 'page_size: many\n');
    await problemsOf('catalogue.yaml');
    assert.equal((await get<{ results: object[] }>('/datasets/')).results.length, 1);
    folder.write('catalogue.yaml', 'people: public\n');
    await fixed('catalogue.yaml');
  });
});

describe('a group', () => {
  it('is the same answer while nothing happens to it, and shows its members', async () => {
    folder.write('users/ann.yaml', 'groups: [editors]\n');
    const members = async () => (await get<{ members: string[] }>('/groups/editors/')).members;
    assert.deepEqual(await until(async () => ((await members()).length ? members() : false)), [`${api}/users/ann/`]);
  });
});
