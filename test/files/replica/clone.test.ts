/** Records of a clone or a push: written together, with the same outcome as one by one. */
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

/** Changes in stages, as a clone makes them: datasets with their versions. @param faults share of texts that are wrong */
function randomStages(faults: number): readonly (readonly RecordChange[])[] {
  const anyId = () => `id: ${Math.floor(Math.random() * 1e9)}\n`;
  const id = () => (Math.random() < faults * 3 ? pick([`id: ${Math.floor(Math.random() * 40)}\n`, '']) : anyId());
  const label = () => pick(['label: A\n', 'label: "É"\n', 'label: [\n', 'labell: x\n', `label: ${'x'.repeat(50)}\n`]);
  const text = (more = '') => id() + (Math.random() < faults ? label() : 'label: Fine\n') + more;
  const names = ['a', 'b', 'A', 'c', 'd_1', 'bad name', '.hidden', '../up'];
  const extension = () => pick(['yaml', 'yaml', 'yaml', 'yml', 'json']);
  const columns = () =>
    Math.random() < faults
      ? 'columns: 3\n'
      : pick(['', 'columns: [{name: x, type: integer}]\n', 'columns: [{name: y, type: string}]\n']);
  const some = (length: number, make: () => RecordChange) => Array.from({ length }, make);
  const datasets = names.flatMap((name) => ['n1', 'n2', 'gone'].map((namespace) => `${namespace}/${name}`));
  const mixed = (length: number, names: readonly string[]) =>
    some(length, () =>
      write(`${home(pick(names))}/dataset.${extension()}`, text(columns()), pick([null, null, null, 'x'])),
    );
  const version = (dataset: string, slug: string, kind: string) =>
    write(
      `${home(dataset)}/versions/${slug}.${kind}`,
      `${id()}checksum: ${'0'.repeat(64)}\nfile: {url: https://data.example/a}\n${columns()}`,
    );
  const versions = (length: number, names: readonly string[]) =>
    some(length, () => version(pick(names), pick(['2020', '2021', 'v']), extension()));
  const withVersions = (names: readonly string[]) => [
    ...names.map((name) => write(`${home(name)}/dataset.yaml`, text(columns()))),
    ...names.flatMap((name) => ['2020', '2021'].map((slug) => version(name, slug, 'yaml'))),
  ];
  return [write('namespaces/n1/namespace.yaml', 'label: One\n'), write('namespaces/n2/namespace.yaml', 'label: Two\n')]
    .map((one) => [one])
    .concat([
      some(6, () => write(`groups/${pick(names)}.${extension()}`, text())),
      some(3, () => write(`users/${pick(names)}.yaml`, 'staff: false\n')),
      some(6, () => write(`namespaces/${pick(['n1', 'n2', 'N1', 'no name'])}/namespace.${extension()}`, text())),
      faults ? [...mixed(30, datasets), ...versions(40, datasets)] : withVersions(['n1/a', 'n2/b', 'n1/c', 'n2/d_1']),
      some(4, () => write(`queries/${pick(names)}.yaml`, text(`dataset: ${pick(datasets)}\n`))),
      some(2, () => write(`catalogue.${extension()}`, 'title: Other\n')),
    ]);
}

/** Makes the changes in a new folder. @returns the outcomes, the files and the diagnostics */
async function outcomeOf(stages: readonly (readonly RecordChange[])[], test: TestContext, isClone = false) {
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

test('a clone and a push write what single changes write, and refuse what they refuse', async (test) => {
  for (let round = 0; round < 6; round++) {
    const stages = randomStages(round % 2 ? 0 : 0.2);
    const oneByOne = await outcomeOf(
      stages.flat().map((change) => [change]),
      test,
    );
    assert.ok(oneByOne.outcomes.some((outcome) => outcome.endsWith(': done')));
    assert.deepEqual(await outcomeOf(stages, test), oneByOne, JSON.stringify(stages));
    assert.deepEqual(await outcomeOf(stages, test, true), oneByOne, JSON.stringify(stages));
  }
});
