/** Replicas of one folder for different viewers, and operations on them, for tests. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Viewer } from '../../../src/catalogue/permissions.ts';
import type { FileBytes, FileEntry, RecordChange, Replica } from '../../../src/catalogue/replica.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type FolderContent, makeFolder } from '../../support/folder.ts';

/** alice is staff; bob's group owns parks and secret; eve has nothing. */
export const people = {
  localAdmin: { username: null, staff: true, groups: [] },
  alice: { username: 'alice', staff: true, groups: [] },
  bob: { username: 'bob', staff: false, groups: ['gardeners'] },
  reader: { username: 'bob', staff: false, groups: ['gardeners'], readOnly: true },
  eve: { username: 'eve', staff: false, groups: [] },
  nobody: { username: null, staff: false, groups: [] },
} as const satisfies Readonly<Record<string, Viewer>>;

export const usual: FolderContent = {
  namespaces: {
    parks: { id: 1, label: 'Parks', owners: ['gardeners'] },
    water: { id: 2, label: 'Water' },
    secret: { id: 3, label: 'Secret', visibility: 'private', owners: ['gardeners'] },
  },
  datasets: {
    'parks/trees': { id: 11, label: 'Trees' },
    'parks/hidden': { id: 12, label: 'Hidden', visibility: 'private' },
    'water/ponds': { id: 13, label: 'Ponds' },
  },
  groups: { gardeners: { id: 1, label: 'Gardeners' } },
  users: {
    alice: { id: 1, staff: true },
    bob: { id: 2, email: 'bob@example.org', groups: ['gardeners'] },
    eve: { id: 3 },
  },
  queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees' } },
};

/** A folder, and its replica for each viewer. */
export async function given(test: TestContext, content: FolderContent = {}) {
  const merged = Object.fromEntries(
    [...new Set([...Object.keys(usual), ...Object.keys(content)])].map((key) => [
      key,
      { ...usual[key as keyof FolderContent], ...content[key as keyof FolderContent] },
    ]),
  ) as FolderContent;
  const folder = makeFolder(merged, test);
  const files = await openFileCatalogue(folder.root);
  test.after(() => files.close());
  const text = (path: string) => readFileSync(folder.path(path), 'utf8');
  return {
    folder,
    files,
    as: (name: keyof typeof people): Replica => files.for(people[name]).replica,
    text,
    seen: (path: string) => sha256(text(path)),
    look: () => files.refresh([{ folder: '' }]),
  };
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function entriesOf(replica: Replica, texts = false): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of (await replica.manifest({ texts }))?.entries ?? []) entries.push(entry);
  return entries;
}

export const pathsOf = async (replica: Replica): Promise<readonly string[]> =>
  (await entriesOf(replica)).map(({ path }) => path);

export const write = (path: string, text: string, seen: string | null = null): RecordChange => ({
  do: 'write',
  path,
  text,
  ifMatch: seen,
});

/** What became of each change: `done`, or the name of the error and what it says. */
export async function outcomes(replica: Replica, ...changes: readonly RecordChange[]): Promise<readonly string[]> {
  const told = await replica.apply(changes);
  return told.map((outcome) => (outcome.done ? 'done' : `${outcome.error.name}: ${outcome.error.message}`));
}

export async function succeed(replica: Replica, ...changes: readonly RecordChange[]): Promise<void> {
  assert.deepEqual(
    await outcomes(replica, ...changes),
    changes.map(() => 'done'),
  );
}

export const bytes = (text: string): FileBytes => ({
  source: () => Readable.from([Buffer.from(text)]),
  checksum: sha256(text),
  size: Buffer.byteLength(text),
});
