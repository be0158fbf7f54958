/** Records of a clone: written together, with the same outcome as by commits. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { RecordChange } from '../../../src/catalogue/replica.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';
import { filesIn } from '../../support/prompt.ts';
import { write } from './replica-support.ts';

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
  const some = (length: number, make: () => RecordChange) => Array.from({ length }, make);
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
        `${id()}checksum: ${'0'.repeat(64)}\nfile: {url: https://data.example/a}\n${columns()}`,
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

test('a clone writes what commits write, and refuses what they refuse', async (test) => {
  for (let round = 0; round < 6; round++) {
    const stages = randomStages();
    const [cloned, committed] = [await outcomeOf(stages, true, test), await outcomeOf(stages, false, test)];
    assert.ok(cloned.outcomes.some((outcome) => outcome.endsWith(': done')));
    assert.deepEqual(cloned, committed, JSON.stringify(stages));
  }
});
