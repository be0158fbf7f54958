/** Records that both sides have renamed: the printed command leads to one name, and the former names of both are kept. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'yaml';
import type { Replica } from '../../src/catalogue/replica.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { mergeAddedAliases } from '../../src/sync/merge-aliases.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed, type } from '../support/prompt.ts';
import { contentOf, cutAfter, failuresOf, pullFrom, pushTo } from './pair.ts';

async function start(test: TestContext) {
  const groups = { gardeners: { id: 5, label: 'Gardeners' } };
  const queries = { tall: { id: 7, label: 'Tall trees', dataset: 'parks/trees' } };
  const [there, here] = [{ ...seed, groups, queries }, { namespaces: {} }].map(
    (content) => makeFolder(content, test).root,
  ) as [string, string];
  mkdirSync(join(here, 'namespaces'));
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  return { here, there };
}

type View = ReturnType<Awaited<ReturnType<typeof openFileCatalogue>>['for']>;

async function edit(root: string, work: (view: View) => Promise<unknown>): Promise<void> {
  const files = await openFileCatalogue(root);
  await work(files.for());
  await files.close();
}

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const aliasesAt = (root: string, path: string) => parse(readFileSync(join(root, path), 'utf8')).aliases;

/** Runs the commands that a pull prints. */
async function followCommands(here: string, there: string): Promise<readonly string[]> {
  const { plan } = await pullFrom(here, there);
  const commands = plan.blocked.map(({ reason }) => /(?<=catalogue ).*$/.exec(reason)?.[0] ?? reason);
  for (const command of commands) {
    const { exitCode, err } = await type(command.split(' '), { root: here });
    assert.equal(exitCode, 0, err);
  }
  return commands;
}

describe('the command for a record that both sides have renamed', () => {
  it('is followed by a pull and a push without a conflict', async (test) => {
    const { here, there } = await start(test);
    for (const [root, name] of [
      [here, 'ours'],
      [there, 'theirs'],
    ] as const)
      await edit(root, async (view) => {
        await view.edit(trees, { slug: name });
        await view.edit({ kind: 'namespace', slug: 'water' }, { slug: `water-${name}` });
        await view.edit({ kind: 'query', slug: 'tall' }, { slug: `tall-${name}` });
        await view.edit({ kind: 'group', slug: 'gardeners' }, { slug: `gardeners-${name}` });
      });
    const commands = await followCommands(here, there);
    assert.equal(commands.length, 4, commands.join('\n'));
    for (const run of [pullFrom, pushTo, pullFrom]) {
      const { failures, plan } = await run(here, there);
      assert.deepEqual([failures, plan.conflicts, plan.blocked], [[], [], []]);
    }
    assert.deepEqual(contentOf(here), contentOf(there));
    assert.deepEqual(aliasesAt(there, `${homeOf('parks/theirs')}/dataset.yaml`), ['trees', 'ours']);
    assert.deepEqual(aliasesAt(there, 'namespaces/water-theirs/namespace.yaml'), ['water', 'water-ours']);
  });

  it('keeps the names that each side has given in between, and a change of one of them', async (test) => {
    for (const editor of ['here', 'there'] as const) {
      const folders = await start(test);
      const { here, there } = folders;
      await edit(here, (view) => view.edit(trees, { slug: 'ours' }));
      await edit(there, (view) => view.edit(trees, { slug: 'others' }));
      await edit(there, (view) => view.edit({ ...trees, slug: 'others' }, { slug: 'theirs' }));
      const slug = editor === 'here' ? 'ours' : 'theirs';
      const path = join(folders[editor], homeOf(`parks/${slug}`), 'dataset.yaml');
      writeFileSync(path, `# By hand\n${readFileSync(path, 'utf8').replace('label: Trees', 'label:   "All trees"')}`);
      await followCommands(here, there);
      // A push alone has nothing to send before the pull.
      const early = await pushTo(here, there);
      assert.deepEqual([early.failures, early.plan.conflicts, early.done], [[], [], []]);
      const planned = await pullFrom(here, there, { dryRun: true });
      assert.deepEqual([planned.plan.conflicts, planned.plan.incoming.length], [[], 1]);
      for (const run of [pullFrom, pushTo, pullFrom]) {
        const { failures, plan } = await run(here, there);
        assert.deepEqual([failures, plan.conflicts, plan.blocked], [[], [], []]);
      }
      assert.deepEqual(contentOf(here), contentOf(there));
      const record = `${homeOf('parks/theirs')}/dataset.yaml`;
      assert.deepEqual(aliasesAt(there, record), ['trees', 'others', 'ours']);
      assert.match(readFileSync(join(there, record), 'utf8'), /^# By hand\n.*label: {3}"All trees"/s);
    }
  });
});

describe('a push of a renamed record that the remote has changed meanwhile', () => {
  it('sends the former name with the move, and leaves the change to the next pull', async (test) => {
    const { here, there } = await start(test);
    await edit(here, (view) => view.edit(trees, { slug: 'baeume' }));
    await edit(there, (view) => view.edit(trees, { label: 'All trees' }));
    const pushed = await pushTo(here, there);
    assert.deepEqual([pushed.failures, pushed.plan.conflicts, pushed.plan.blocked], [[], [], []]);
    const record = `${homeOf('parks/baeume')}/dataset.yaml`;
    assert.deepEqual(aliasesAt(there, record), ['trees']);
    assert.match(readFileSync(join(there, record), 'utf8'), /label: All trees/);
    assert.doesNotMatch(readFileSync(join(here, record), 'utf8'), /All trees/);
    const pulled = await pullFrom(here, there);
    assert.deepEqual([pulled.failures, pulled.plan.conflicts], [[], []]);
    assert.deepEqual(contentOf(here), contentOf(there));
    assert.deepEqual((await pushTo(here, there)).done, []);
  });
});

describe('a record that one side has renamed, and both have changed', () => {
  const rename = (slug: string) => (view: View) => view.edit(trees, { slug, label: `Trees as ${slug}` });
  const relabel = (view: View) => view.edit(trees, { label: 'All trees' });

  for (const run of [pushTo, pullFrom])
    it(`keeps its former name where a ${run === pushTo ? 'push' : 'pull'} moves it, and stays a conflict`, async (test) => {
      const { here, there } = await start(test);
      await edit(here, run === pushTo ? rename('baeume') : relabel);
      await edit(there, run === pushTo ? relabel : rename('baeume'));
      for (let round = 0; round < 2; round++) {
        const { failures, plan } = await run(here, there);
        assert.deepEqual([failures, plan.blocked, plan.conflicts.length], [[], [], 1]);
      }
      const record = `${homeOf('parks/baeume')}/dataset.yaml`;
      const labels = run === pushTo ? ['Trees as baeume', 'All trees'] : ['All trees', 'Trees as baeume'];
      for (const [i, root] of [here, there].entries()) {
        assert.deepEqual(aliasesAt(root, record), ['trees']);
        assert.equal(parse(readFileSync(join(root, record), 'utf8')).label, labels[i]);
      }
      await pullFrom(here, there, { choice: 'ours' });
      await pushTo(here, there);
      assert.deepEqual(contentOf(here), contentOf(there));
      assert.equal(parse(readFileSync(join(there, record), 'utf8')).label, labels[0]);
    });

  for (const choice of ['ours', 'theirs'] as const)
    it(`keeps its former name if ${choice} is chosen at once, whichever side has renamed it`, async (test) => {
      for (const isRenamedHere of [true, false]) {
        const { here, there } = await start(test);
        await edit(here, isRenamedHere ? rename('baeume') : relabel);
        await edit(there, isRenamedHere ? relabel : rename('baeume'));
        await pullFrom(here, there, { choice });
        const { failures, plan } = await pushTo(here, there);
        assert.deepEqual([failures, plan.conflicts], [[], []]);
        const record = `${homeOf('parks/baeume')}/dataset.yaml`;
        assert.deepEqual(aliasesAt(here, record), ['trees'], String(isRenamedHere));
        const label = (choice === 'ours') === isRenamedHere ? 'Trees as baeume' : 'All trees';
        assert.equal(parse(readFileSync(join(here, record), 'utf8')).label, label);
        assert.deepEqual(contentOf(here), contentOf(there));
        assert.deepEqual((await pullFrom(here, there)).plan.incoming, []);
      }
    });

  for (const run of [pushTo, pullFrom])
    it(`has its former name after each request of a ${run === pushTo ? 'push' : 'pull'}, which may be the last one`, async (test) => {
      const { here, there } = await start(test);
      await edit(here, run === pushTo ? rename('baeume') : relabel);
      await edit(there, run === pushTo ? relabel : rename('baeume'));
      const target = run === pushTo ? there : here;
      const record = `${homeOf('parks/baeume')}/dataset.yaml`;
      for (let operations = 1; !existsSync(join(target, record)); operations++) {
        const cut = cutAfter(operations);
        const wrap = (replica: Replica, side: 'ours' | 'theirs') =>
          (side === 'theirs') === (run === pushTo) ? cut(replica) : replica;
        await run(here, there, {}, { wrap }).catch((error) => assert.match(String(error), /cut/));
      }
      for (let round = 0; round < 2; round++) {
        assert.deepEqual(aliasesAt(target, record), ['trees']);
        const { failures, plan } = await run(here, there);
        assert.deepEqual([failures, plan.blocked, plan.conflicts.length], [[], [], 1]);
      }
    });

  it('keeps its former name also if only what is in it is named', async (test) => {
    const { here, there } = await start(test);
    await edit(here, rename('baeume'));
    const [slug] = readdirSync(join(here, homeOf('parks/baeume'), 'versions'));
    assert.ok(slug);
    await edit(there, relabel);
    const path = join(here, homeOf('parks/baeume'), 'versions', slug);
    writeFileSync(path, `${readFileSync(path, 'utf8')}notes: Counted again\n`);
    await pushTo(here, there, { names: [`parks/baeume@${slug.replace('.yaml', '')}`] });
    assert.deepEqual(aliasesAt(there, `${homeOf('parks/baeume')}/dataset.yaml`), ['trees']);
  });
});

describe('aliases', () => {
  const text = (label: string, ...aliases: readonly string[]) =>
    `id: 1\nlabel: ${label} # Here\n${aliases.length ? `aliases:\n${aliases.map((one) => `  - ${one}\n`).join('')}` : ''}`;
  const merge = (base: string, ours: string, theirs: string) =>
    mergeAddedAliases('queries/q.yaml', { base, ours, theirs });

  it('are merged if both sides have added some, and one of them nothing else', () => {
    const base = text('A', 'a');
    assert.deepEqual(merge(base, text('B', 'a', 'b', 'c'), text('A', 'a', 'c')), { status: 'outgoing' });
    assert.deepEqual(merge(base, text('A', 'a', 'c'), text('B', 'a', 'b', 'c')), { status: 'incoming' });
    for (const [ours, theirs] of [
      ['A', 'B'],
      ['B', 'A'],
    ] as const)
      assert.deepEqual(merge(base, text(ours, 'a', 'b'), text(theirs, 'a', 'c')), {
        status: 'incoming',
        text: text('B', 'a', 'c', 'b'),
        aliased: { ours: text(ours, 'a', 'c', 'b'), theirs: text(theirs, 'a', 'c', 'b') },
      });
  });

  it('are merged also if both have changed the rest alike', () => {
    const [ours, theirs] = [text('B', 'a', 'b'), text('B', 'a', 'c')];
    const merged = text('B', 'a', 'c', 'b');
    const expected = { status: 'incoming', text: merged, aliased: { ours: merged, theirs: merged } };
    assert.deepEqual(merge(text('A', 'a'), ours, theirs), expected);
  });

  it('are added to the texts of both if the rest needs a decision', () => {
    assert.deepEqual(merge(text('A', 'a'), text('B', 'a', 'b'), text('C', 'a')), {
      status: 'conflict',
      aliased: { ours: null, theirs: text('C', 'a', 'b') },
    });
  });

  it('are left to people if one has been removed, both have changed more, or a text is broken', () => {
    const base = text('A', 'a');
    assert.equal(merge(base, text('A', 'b'), text('A', 'a', 'c')), null);
    assert.equal(merge(base, text('B', 'a', 'b'), text('C', 'a', 'b')), null);
    assert.equal(merge(base, text('A', 'a', 'b'), 'label: [\n'), null);
    assert.equal(merge(base, text('A', 'a', 'b'), 'label: A\naliases: a\n'), null);
  });
});
