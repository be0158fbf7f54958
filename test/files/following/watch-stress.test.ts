/** Hundreds of random changes, and in the end the snapshot of one who was there is that of one who comes now. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFolder, datasetText, until, versionText } from '../../support/folder.ts';
import { follow, freshlyRead, makeFollowedFolder } from '../../support/followed.ts';
import { randomIntegers } from '../../support/random.ts';

function change(folder: CatalogueFolder, below: (n: number) => number, step: number): void {
  const pick = (names: readonly string[]) => names[below(names.length)] ?? '';
  const namespace = `namespaces/${pick(['a', 'b', 'c'])}`;
  const home = `${namespace}/datasets/d${below(8)}`;
  const version = `${home}/versions/v${below(3)}.yaml`;
  const remove = (path: string) => rmSync(folder.path(path), { recursive: true, force: true });
  const move = (from: string, to: string) => {
    if (from === to || !existsSync(folder.path(from))) return;
    remove(to);
    mkdirSync(folder.path(`${to}/..`), { recursive: true });
    renameSync(folder.path(from), folder.path(to));
  };
  const label = `Step ${step}`;
  const changes = [
    () => folder.dataset(home, label, [`v${below(3)}`]),
    () => folder.write(`${home}/dataset.yaml`, datasetText(label)),
    () => folder.write(version, versionText(label)),
    () => folder.write(`${home}/.new`, datasetText(label)),
    () => move(`${home}/.new`, `${home}/dataset.yaml`),
    () => remove(version),
    () => remove(home),
    () => remove(`${home}/versions`),
    () => move(home, `${namespace}/datasets/d${below(8)}`),
    () => move(home, `namespaces/${pick(['a', 'b', 'c'])}/datasets/d${below(8)}`),
    () => folder.namespace(namespace.slice(-1), label),
    () => below(4) || remove(namespace),
    () => below(4) || move(namespace, `namespaces/${pick(['a', 'b', 'c'])}`),
    () => folder.write('groups/g.yaml', `label: ${label}\n`),
    () => folder.write(`users/u${below(2)}.yaml`, `name: ${label}\ngroups: [g]\n`),
    () => remove(`users/u${below(2)}.yaml`),
  ];
  changes[below(changes.length)]?.();
}

for (const seed of [1, 2, 3, 4])
  test(`600 random changes, seed ${seed}`, async (t) => {
    const folder = makeFollowedFolder(t);
    const { catalogue } = await follow(t, folder, { scanEvery: seed % 2 ? 1000 : 1e9 });
    const below = randomIntegers(seed);
    for (let step = 0; step < 600; step++) {
      change(folder, below, step);
      if (below(10) === 0) await new Promise((done) => setTimeout(done, below(60)));
    }
    // All records are well at the end, and none is missing: of one that is not, the one who was there knows the last good state.
    for (const name of readdirSync(folder.path('namespaces'))) {
      folder.namespace(name, 'End');
      const datasets = `namespaces/${name}/datasets`;
      for (const dataset of existsSync(folder.path(datasets)) ? readdirSync(folder.path(datasets)) : [])
        if (!existsSync(folder.path(`${datasets}/${dataset}/dataset.yaml`)))
          folder.write(`${datasets}/${dataset}/dataset.yaml`, datasetText('End'));
    }
    const fresh = await freshlyRead(folder);
    await until(() => isDeepStrictEqual(catalogue.snapshot, fresh)).catch(() => {});
    assert.deepEqual(catalogue.snapshot, fresh);
  });
