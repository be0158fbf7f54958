/**
 * Any edits on both sides, also of who sees what: a push shows nothing on the remote, after any of its requests, to people to whom
 * neither side shows it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { anonymous, type Viewer } from '../../src/catalogue/permissions.ts';
import { CatalogueFolder, homeOf, removeFolder, temporaryParent } from '../support/folder.ts';
import { type Edit, editsWithReaders, Hands } from './edits.ts';
import { contentOf, filesSeenBy, lookAfterEach, pullFrom, pushTo } from './pair.ts';

const home = mkdtempSync(join(temporaryParent(), 'catalogue-sync-'));
after(() => removeFolder(home));
let count = 0;

const start = {
  namespaces: {
    public: { id: 1, label: 'start-1' },
    private: { id: 2, label: 'start-2', visibility: 'private' },
    team: { id: 3, label: 'start-3', visibility: 'private', readers: ['g1'] },
  },
  datasets: {
    'public/a': { id: 1, label: 'start-4' },
    'public/b': { id: 2, label: 'start-5' },
    'private/c': { id: 3, label: 'start-6' },
    'team/d': { id: 4, label: 'start-7' },
  },
  groups: { g1: { id: 1 }, g2: { id: 2 } },
  users: { zed: { id: 1, groups: ['g1'] }, yan: { id: 2, groups: ['g2'] } },
};

const viewers: readonly Viewer[] = [
  anonymous,
  { username: 'zed', staff: false, groups: ['g1'] },
  { username: 'yan', staff: false, groups: ['g2'] },
];

/** The labels that each viewer sees, as `zed mine-3`. Each text and payload of an edit has one of its own. */
async function labelsSeenIn(root: string): Promise<ReadonlyMap<string, string>> {
  const contents = contentOf(root);
  const seen = new Map<string, string>();
  for (const viewer of viewers)
    for (const { path, text } of await filesSeenBy(viewer, root)) {
      // Everybody sees that there are groups, and what leads to visible datasets.
      if (/^(groups|users)\/|namespace\.\w+$/.test(path)) continue;
      for (const label of (text ?? contents[path] ?? '').match(/\b(?:start|mine|yours)-\d+\b/g) ?? [])
        seen.set(`${viewer.username ?? 'anybody'} ${label}`, path);
    }
  return seen;
}

interface Exposure {
  readonly label: string;
  readonly path: string;
  /** The request after which it was seen. */
  readonly changes: string;
}

const hasDataset = (content: Readonly<Record<string, string>>, name: string): boolean =>
  Object.keys(content).some((path) => path.startsWith(`${homeOf(name)}/dataset.`));

/** Pushes. @returns the labels that somebody saw after a request, though neither side had shown them before */
async function exposedByPush(here: string, there: string): Promise<readonly string[]> {
  const [ours, theirs] = [await labelsSeenIn(here), await labelsSeenIn(there)];
  const exposed: Exposure[] = [];
  const wrap = lookAfterEach(async (changes) => {
    for (const [label, path] of await labelsSeenIn(there))
      if (!ours.has(label) && !theirs.has(label))
        exposed.push({ label, path, changes: changes.map((one) => `${one.do} ${one.path}`).join(', ') });
  });
  await pushTo(here, there, { force: true }, { wrap });
  // Where the remote keeps a dataset that was removed here, as it was changed there, its readers see new queries that name it.
  const after = contentOf(there);
  const mayBeSeen = ({ path }: Exposure) =>
    path.startsWith('queries/') && hasDataset(after, String(parse(after[path] ?? '').dataset));
  return exposed
    .filter((one) => !mayBeSeen(one))
    .map(({ label, path, changes }) => `${label} at ${path} after ${changes}`);
}

describe('a push of any edits', () => {
  it('shows nobody what neither side shows', async () => {
    const run = async (ours: readonly Edit[], theirs: readonly Edit[], choice: 'ours' | 'theirs') => {
      const folder = join(home, String(count++));
      const [here, there] = [join(folder, 'here'), join(folder, 'there')];
      new CatalogueFolder(there, start);
      const [mine, yours] = [
        new Hands(here, 'mine', () => true),
        new Hands(there, 'yours', (name) => /yours/.test(name)),
      ];
      for (const dataset of [0, 1, 2, 3]) yours.do({ kind: 'add version', which: dataset });
      mkdirSync(join(here, 'namespaces'), { recursive: true });
      await pullFrom(here, there);
      for (const edit of ours) mine.do(edit);
      for (const edit of theirs) yours.do(edit);
      assert.deepEqual(await exposedByPush(here, there), []);
      await pullFrom(here, there, { choice, force: true });
      assert.deepEqual(await exposedByPush(here, there), []);
      rmSync(folder, { recursive: true });
    };
    const choices = fc.constantFrom('ours' as const, 'theirs' as const);
    await fc.assert(fc.asyncProperty(editsWithReaders(12), editsWithReaders(8), choices, run), {
      seed: 1,
      numRuns: 8,
      examples: [
        [
          [
            { kind: 'add query of a dataset', which: 111 },
            { kind: 'remove namespace', which: 128 },
          ],
          [],
          'ours',
        ],
      ],
    });
  });
});
