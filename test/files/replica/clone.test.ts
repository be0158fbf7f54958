/** Records of a clone or a push: written together, with the same outcome as one by one. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { RecordChange } from '../../../src/catalogue/replica.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';
import { filesIn } from '../../support/prompt.ts';
import { sha256, write } from './replica-support.ts';

const home = (dataset: string) => `namespaces/${dataset.replace('/', '/datasets/')}`;
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Changes in stages, as a clone makes them: most are valid, some are not. */
function randomStages(): readonly (readonly RecordChange[])[] {
  const id = () => pick([`id: ${Math.floor(Math.random() * 40)}\n`, `id: ${Math.floor(Math.random() * 1e9)}\n`, '']);
  const label = () => pick(['label: A\n', 'label: "É"\n', 'label: [\n', 'labell: x\n', `label: ${'x'.repeat(50)}\n`]);
  const text = (more = '') => id() + (Math.random() < 0.8 ? 'label: Fine\n' : label()) + more;
  const names = ['a', 'b', 'A', 'c', 'd_1', 'bad name', '.hidden', '../up'];
  const extension = () => pick(['yaml', 'yaml', 'yaml', 'yml', 'json']);
  const columns = () =>
    pick(['', 'columns: [{name: x, type: integer}]\n', 'columns: [{name: y, type: string}]\n', 'columns: 3\n']);
  // Each path once: a second change of a path begins a new chunk, in which refused records of the one before don't count.
  const some = (length: number, make: () => RecordChange) => [
    ...new Map(Array.from({ length }, make).map((change) => [change.path, change])).values(),
  ];
  const datasets = names.flatMap((name) => ['n1', 'n2', 'gone'].map((namespace) => `${namespace}/${name}`));
  return [
    some(6, () => write(`groups/${pick(names)}.${extension()}`, text())),
    some(3, () => write(`users/${pick(names)}.yaml`, 'staff: false\n')),
    some(6, () => write(`namespaces/${pick(['n1', 'n2', 'N1', 'no name'])}/namespace.${extension()}`, text())),
    some(30, () =>
      write(`${home(pick(datasets))}/dataset.${extension()}`, text(columns()), pick([null, null, null, 'x'])),
    ),
    some(40, () =>
      write(
        `${home(pick(datasets))}/versions/${pick(['2020', '2021', 'v'])}.${extension()}`,
        `${id()}checksum: ${'ab'.repeat(32)}\nfile: {url: https://data.example/a}\n${columns()}`,
      ),
    ),
    some(4, () => write(`queries/${pick(names)}.yaml`, text(`dataset: ${pick(datasets)}\n`))),
    some(2, () => write(`catalogue.${extension()}`, 'title: Other\n')),
  ];
}

/** Makes the changes in a new folder. @returns the outcomes, the files and the diagnostics */
async function outcomeOf(stages: readonly (readonly RecordChange[])[], isClone: boolean, test: TestContext) {
  const folder = makeFolder({ settings: { title: 'A copy' } }, test);
  const { root } = folder;
  const files = await openFileCatalogue(root);
  const { replica } = files.for();
  const outcomes: string[] = [];
  const done: string[] = [];
  for (const stage of stages)
    for (const outcome of await replica.apply(stage, { isClone })) {
      outcomes.push(`${outcome.path}: ${outcome.done ? 'done' : outcome.error}`);
      if (outcome.done) done.push(outcome.path);
    }
  await replica.fitColumns?.(done);
  await files.close();
  const paths = filesIn(root).filter((path) => !path.startsWith('.'));
  const content = paths.map((path) => [path, readFileSync(folder.path(path), 'utf8')]);
  return { outcomes, content, checked: (await checkCatalogueFiles(root)).problems };
}

/** Fails with the difference, and prints the random changes that led to it. */
function assertSame(actual: unknown, expected: unknown, changes: unknown, test: TestContext): void {
  if (!isDeepStrictEqual(actual, expected)) test.diagnostic(JSON.stringify(changes));
  assert.deepEqual(actual, expected);
}

test('a clone writes what commits write, and refuses what they refuse', async (test) => {
  for (let round = 0; round < 6; round++) {
    const stages = randomStages();
    const [cloned, committed] = [await outcomeOf(stages, true, test), await outcomeOf(stages, false, test)];
    assert.ok(cloned.outcomes.some((outcome) => outcome.endsWith(': done')));
    assertSame(cloned, committed, stages, test);
  }
});

/** New datasets with their versions behind them, some of which are wrong, but don't depend on each other. */
function datasetsWithVersions(): readonly RecordChange[] {
  const faults = [
    {},
    {},
    {},
    { text: 'label: [\n' },
    { namespace: 'gone' },
    { text: 'id: 7\nlabel: Taken\n' },
    { version: 'x: [\n' },
  ];
  const datasets = Array.from({ length: 8 }, (_, i) => {
    const {
      text = `label: Fine ${i}\n`,
      namespace = 'n',
      version,
    } = { version: undefined, ...pick(faults.slice(0, pick([3, 7]))) };
    const path = home(`${namespace}/d${i}`);
    const slugs = ['2020', '2021'].slice(0, pick([0, 1, 2]));
    const versionText = (slug: string) =>
      `label: "${slug}"\nchecksum: ${'ab'.repeat(32)}\nfile: {url: https://data.example/a}\n`;
    return {
      dataset: write(`${path}/dataset.${pick(['yaml', 'yml'])}`, text),
      versions: slugs.map((slug) => write(`${path}/versions/${slug}.yaml`, version ?? versionText(slug))),
    };
  });
  return [...datasets.map(({ dataset }) => dataset), ...datasets.flatMap(({ versions }) => versions)];
}

test('new datasets are written with their versions as one by one', async (test) => {
  for (let round = 0; round < 12; round++) {
    const before = [
      write('namespaces/n/namespace.yaml', 'label: N\n'),
      write(`${home('n/first')}/dataset.yaml`, 'id: 7\nlabel: A\n'),
    ];
    const changes = datasetsWithVersions();
    const apart = [...before, ...changes].map((change) => [change]);
    const together = [...before.map((change) => [change]), changes];
    const oneByOne = await outcomeOf(apart, false, test);
    assertSame(await outcomeOf(together, false, test), oneByOne, changes, test);
    assertSame(await outcomeOf(together, true, test), oneByOne, changes, test);
  }
});

test('datasets get the columns of their newest version, and the others are not read for that', async (test) => {
  const folder = makeFolder({ settings: { title: 'A copy' } }, test);
  const files = await openFileCatalogue(folder.root);
  test.after(() => files.close());
  const { replica } = files.for();
  const [x, y] = ['{name: x, type: integer}', '{name: y, type: string}'];
  const datasets = {
    fits: `label: Fits\ncolumns: [${x}, ${y}]\n`,
    lacks: `label: Lacks\ncolumns: [${x}]\n`,
    none: 'label: None\n',
    former: `label: Former\ncolumns: [${x}, ${y}, {name: z, type: float, missing_since: v1}]\n`,
    changed: `label: Changed\ncolumns: [${y}, ${x}]\n`,
  };
  const names = Object.keys(datasets) as (keyof typeof datasets)[];
  const textOf = (name: string) => readFileSync(folder.path(`${home(`n/${name}`)}/dataset.yaml`), 'utf8');
  const version = (name: string, columns: string, label = 'One', seen: string | null = null) =>
    write(
      `${home(`n/${name}`)}/versions/v1.yaml`,
      `label: ${label}\nchecksum: ${'ab'.repeat(32)}\nfile: {url: https://data.example/a}\ncolumns: [${columns}]\n`,
      seen,
    );
  const apply = async (changes: readonly RecordChange[]) => {
    for (const outcome of await replica.apply(changes, { isClone: true }))
      assert.ok(outcome.done, outcome.done ? '' : String(outcome.error));
  };
  const versions = names.map((name) => version(name, `${y}, ${x}`));
  await apply([write('namespaces/n/namespace.yaml', 'label: N\n')]);
  await apply(
    names.map((name) => write(`${home(`n/${name}`)}/dataset.yaml`, datasets[name])).concat(versions.slice(0, 2)),
  );
  await apply(versions.slice(2));
  const isRead = (name: string) => files.snapshot.folders.get('n')?.datasets.has(name) ?? false;
  assert.deepEqual(names.filter(isRead), []);

  await replica.fitColumns?.([]);
  assert.deepEqual(names.filter(isRead), ['lacks', 'none']);
  for (const name of ['fits', 'former', 'changed'] as const) assert.equal(textOf(name), datasets[name]);
  for (const name of ['lacks', 'none'])
    for (const column of ['x', 'y']) assert.match(textOf(name), new RegExp(`name: ${column}`));

  // A clone that goes on after an interruption: a version that was written before is replaced, as usual.
  const before = versions[4] as RecordChange & { do: 'write' };
  await apply([version('changed', x, 'Other', sha256(before.text))]);
  await replica.fitColumns?.([]);
  assert.doesNotMatch(textOf('changed'), /name: y, type: string\}\]|^ *- .*y$/m);
  assert.deepEqual(
    (await checkCatalogueFiles(folder.root)).problems.filter(({ severity }) => severity === 'error'),
    [],
  );
});
