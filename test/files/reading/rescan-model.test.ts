/**
 * Random changes by hand, whole and broken records, files and links in each other's places: one who rescans what changed finds
 * the same problems as one who reads the folder anew, and the same records, but for those with problems, whose last state stays.
 */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { scopeKey, scopeToReread } from '../../../src/catalogue/layout.ts';
import type { Snapshot } from '../../../src/catalogue/snapshot.ts';
import { runStepsWithoutPause } from '../../../src/files/reading/event-loop.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { type CatalogueFolder, makeFolder } from '../../support/folder.ts';
import { randomIntegers } from '../../support/random.ts';

const broken = [
  '',
  'label: [',
  'label: X\nlabel: Y\n',
  'visibility: private\nlabel: [',
  '- a\n',
  '<<<<<<< a\nlabel: x\n=======\nlabel: y\n>>>>>>> b\n',
];

/** One who changes files by hand, and says where. */
class Hands {
  readonly story: string[] = [];
  readonly touched: string[] = [];
  readonly #folder: CatalogueFolder;
  readonly #below: (n: number) => number;

  constructor(folder: CatalogueFolder, below: (n: number) => number) {
    this.#folder = folder;
    this.#below = below;
  }

  change(): void {
    const below = this.#below;
    const pick = <T>(items: readonly T[]) => items[below(items.length)] as T;
    const namespace = () => `namespaces/${pick(['a', 'b'])}`;
    const home = () => `${namespace()}/datasets/${pick(['d', 'e'])}`;
    const label = `L${below(1000)}`;
    const stem = pick([
      () => `${namespace()}/namespace`,
      () => `${home()}/dataset`,
      () => `${home()}/versions/${pick(['1', '2'])}`,
      () => `queries/${pick(['q', 'r'])}`,
      () => 'users/ann',
      () => 'groups/g',
    ])();
    const whole = () => JSON.stringify({ label, datetime: '2024-01-31T12:00:00Z', ready: false, dataset: 'a/d' });
    const place = () => pick([stem, home(), `${home()}/versions`, namespace(), `${namespace()}/datasets`]);
    const path = `${stem}.${pick(['yaml', 'yaml', 'yaml', 'yml', 'json'])}`;
    pick([
      () => this.#write(path, whole()),
      () => this.#write(path, whole()),
      () => this.#write(`${stem}.yaml`, whole()),
      () => this.#write(path, pick(broken)),
      () => this.#remove(path),
      () => this.#remove(place()),
      () => this.#move(home(), home()),
      () => this.#move(path, `${stem}.yaml`),
      () => below(3) || this.#move(namespace(), namespace()),
      () => below(3) || this.#put('file', place(), (to) => this.#folder.write(to, 'x')),
      () => below(3) || this.#put('folder', place(), (to) => mkdirSync(this.#folder.path(to), { recursive: true })),
      () => below(3) || this.#link(pick([path, place()]), pick([path, home(), '../nowhere'])),
      () => this.#write(`${home()}/versions/${pick(['bad name', '3'])}.yaml`, whole()),
      () => this.#write(`${namespace()}/datasets/${pick(['bad name', 'D'])}/dataset.yaml`, whole()),
    ])();
  }

  #did(what: string, ...paths: readonly string[]): void {
    this.story.push(`${what} ${paths.join(' ')}`);
    this.touched.push(...paths);
  }

  #write(path: string, text: string): void {
    this.#did(`write ${text}`, path);
    this.#try(() => this.#folder.write(path, text));
  }

  #remove(path: string): void {
    this.#did('remove', path);
    this.#try(() => this.#folder.clear(path));
  }

  #move(from: string, to: string): void {
    if (from === to || !existsSync(this.#folder.path(from))) return;
    this.#put('move', to, () => renameSync(this.#folder.path(from), this.#folder.path(to)));
    this.#did('from', from);
  }

  #link(path: string, target: string): void {
    this.#put(`link to ${target}`, path, () => symlinkSync(this.#folder.path(target), this.#folder.path(path)));
  }

  #put(what: string, path: string, put: (path: string) => void): void {
    this.#remove(path);
    this.#did(what, path);
    this.#try(() => {
      mkdirSync(dirname(this.#folder.path(path)), { recursive: true });
      put(path);
    });
  }

  /** What the file system refuses stays undone: something else is in the place of a folder. */
  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.story.push(`(${(error as Error).message})`);
    }
  }
}

/** Messages by path, but for those below a folder with a problem: what was read there before is held. */
function problemsIn({ diagnostics }: Snapshot, held: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const all = [...diagnostics].filter(([path]) => !held.some((folder) => path.startsWith(`${folder}/`)));
  return Object.fromEntries(all.sort().map(([path, list]) => [path, list.map(({ message }) => message)]));
}

/** The entities of the units without problems in their files or folders, by key. */
function soundUnits(store: UnitStore, problems: readonly string[]): Readonly<Record<string, unknown>> {
  const isSound = (key: string) => {
    const folder = key.replace(/\/(dataset|namespace)$/, '');
    return !problems.some(
      (path) => `${path.replace(/\.\w+$/, '')}/`.startsWith(`${folder}/`) || `${key}/`.startsWith(`${path}/`),
    );
  };
  const units = [...store.states].filter(([key, { reading }]) => reading.entity && isSound(key));
  return Object.fromEntries(units.map(([key, { reading }]) => [key, reading.entity]));
}

for (let seed = 1; seed <= 12; seed++)
  test(`60 random changes by hand, seed ${seed}`, (t) => {
    const folder = makeFolder({ settings: { title: 'Test' } }, t);
    const below = randomIntegers(seed);
    const hands = new Hands(folder, below);
    const store = new UnitStore(folder.root);
    for (let step = 0; step < 60; step++) {
      for (let count = below(3); count >= 0; count--) hands.change();
      const scopes = hands.touched
        .splice(0)
        .map(scopeToReread)
        .filter((scope) => scope !== null);
      runStepsWithoutPause(store.rescan([...new Map(scopes.map((scope) => [scopeKey(scope), scope])).values()]));
      if (below(2)) continue;
      hands.story.push('rescan all');
      runStepsWithoutPause(store.rescan([{ folder: '' }]));
      const fresh = new UnitStore(folder.root);
      runStepsWithoutPause(fresh.rescan([{ folder: '' }]));
      const problems = [...fresh.snapshot.diagnostics.keys()];
      const held = problems.filter((path) => isFolderOrLink(folder.path(path)));
      const story = hands.story.join('\n');
      assert.deepEqual(problemsIn(store.snapshot, held), problemsIn(fresh.snapshot, held), story);
      assert.deepEqual(soundUnits(store, problems), soundUnits(fresh, problems), story);
    }
  });

function isFolderOrLink(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === false;
}
