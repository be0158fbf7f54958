/** Records whose line ends git or an editor has changed: they are compared and sent without regard to them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { homeOf, makeFolder } from '../support/folder.ts';
import { filesIn, seed } from '../support/prompt.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

const trees = `${homeOf('parks/trees')}/dataset.yaml`;
const namespace = 'namespaces/parks/namespace.yaml';

/** Changes the line ends of all records of a folder. */
function convert(root: string, change: (text: string) => string): void {
  for (const path of filesIn(root))
    if (/^(namespaces|groups|users|queries)\/.*\.yaml$/.test(path))
      writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));
}
const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n');
const toLf = (text: string) => text.replaceAll('\r\n', '\n');
const edit = (root: string, path: string, from: string, to: string) => {
  const text = readFileSync(join(root, path), 'utf8');
  assert.ok(text.includes(from), text);
  writeFileSync(join(root, path), text.replace(from, to));
};

async function clone(t: TestContext, prepare: (there: string) => void = () => {}) {
  const there = makeFolder(seed, t).root;
  prepare(there);
  const here = makeFolder({}, t).root;
  await makeEmpty(here);
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  return { here, there };
}

it('pushes nothing where all records have become CRLF', async (t) => {
  const { here, there } = await clone(t);
  const before = contentOf(there);
  convert(here, toCrlf);
  const { plan, done } = await pushTo(here, there);
  assert.deepEqual([plan.outgoing, plan.incoming, plan.conflicts, done], [[], [], [], []]);
  assert.deepEqual(contentOf(there), before);
  assert.match(readFileSync(join(here, trees), 'utf8'), /\r\n/);
});

it('sends a record that changed, and a new one, with LF, and nothing at the next run', async (t) => {
  const { here, there } = await clone(t);
  convert(here, toCrlf);
  edit(here, trees, 'label: ', 'label: Old ');
  const added = `${homeOf('parks/paths')}/dataset.yaml`;
  mkdirSync(join(here, homeOf('parks/paths')), { recursive: true });
  writeFileSync(join(here, added), 'id: 4711\r\nlabel: Paths\r\n');
  const { done, failures } = await pushTo(here, there);
  assert.deepEqual(failures, []);
  assert.deepEqual(done.map(({ path }) => path).sort(), [added, trees].sort());
  assert.match(readFileSync(join(there, trees), 'utf8'), /^label: Old /m);
  assert.doesNotMatch(readFileSync(join(there, trees), 'utf8') + readFileSync(join(there, added), 'utf8'), /\r/);
  assert.deepEqual((await pushTo(here, there)).plan.outgoing, []);
  assert.deepEqual((await pullFrom(here, there)).plan.incoming, []);
});

it('takes what the remote has changed, and sees no conflict', async (t) => {
  const { here, there } = await clone(t);
  convert(here, toCrlf);
  edit(there, trees, 'label: ', 'label: New ');
  const { plan, done, failures } = await pullFrom(here, there);
  assert.deepEqual([plan.conflicts, failures], [[], []]);
  assert.deepEqual(
    done.map(({ path }) => path),
    [trees],
  );
  assert.equal(readFileSync(join(here, trees), 'utf8'), readFileSync(join(there, trees), 'utf8'));
});

it('moves a folder whose records have become CRLF, by either side', async (t) => {
  for (const mover of ['here', 'there'] as const) {
    const sides = await clone(t);
    convert(sides.here, toCrlf);
    renameSync(join(sides[mover], homeOf('parks/trees')), join(sides[mover], homeOf('parks/oaks')));
    edit(sides.there, namespace, 'label: ', 'label: New ');
    assert.deepEqual(failuresOf(await pullFrom(sides.here, sides.there)), []);
    const { plan, failures } = await pushTo(sides.here, sides.there);
    assert.deepEqual(failures, []);
    assert.deepEqual(
      plan.outgoing.map((step) => step.do),
      mover === 'here' ? ['move'] : [],
    );
    const [here, there] = [contentOf(sides.here), contentOf(sides.there)];
    assert.deepEqual(Object.keys(here), Object.keys(there));
    for (const path of Object.keys(here)) assert.equal(toLf(here[path] ?? ''), there[path], path);
  }
});

it('pushes nothing where the records of the remote are CRLF, and have become LF here', async (t) => {
  const { here, there } = await clone(t, (root) => convert(root, toCrlf));
  assert.match(readFileSync(join(here, trees), 'utf8'), /\r\n/);
  assert.deepEqual((await pushTo(here, there)).plan.outgoing, []);
  convert(here, toLf);
  assert.deepEqual((await pushTo(here, there)).plan.outgoing, []);
  assert.deepEqual((await pullFrom(here, there)).plan.incoming, []);
});
