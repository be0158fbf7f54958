/** The files of a catalogue as entities of their own (kind `file`), with their diagnostics. */
import { compareTexts } from '../catalogue/compare.ts';
import type { FileProblems } from '../catalogue/diagnostic.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { deriveIdFromAddress, maxId } from '../catalogue/ids.ts';
import { kindAndRefOfPath, parseRecordFileName, payloadPath } from '../catalogue/layout.ts';
import type { ListedKind } from '../catalogue/listing.ts';
import { getEntity } from '../catalogue/lookup.ts';
import { type Ref, type Refs, refOf } from '../catalogue/ref.ts';
import type { Snapshot, UnitReading } from '../catalogue/snapshot.ts';
import { eachInSteps, SharedSteps, type Steps, sortInSteps } from '../catalogue/steps.ts';
import type { CatalogueFile, Version } from '../catalogue/types.ts';
import { runStepsInSlices } from './reading/event-loop.ts';
import type { UnitState } from './reading/unit-state.ts';
import type { UnitStore } from './reading/unit-store.ts';
import { unpackStamps } from './tree/stamps.ts';

interface MadeList {
  /** Number of changes of the store before it was made. */
  readonly changes: number;
  readonly list: SharedSteps<readonly CatalogueFile[]>;
}

const lists = new WeakMap<Snapshot, MadeList>();
const none: readonly never[] = [];

/**
 * The files that a viewer may see, sorted by path: records, payloads, and files with diagnostics.
 * @param visible the part of the snapshot that the viewer may see
 */
export function listVisibleFiles(store: UnitStore, visible: Snapshot): Steps<readonly CatalogueFile[]> {
  const { changeCount: changes } = store;
  const made = lists.get(visible);
  // A file that gets another name changes no entity, and so not the snapshot.
  if (made?.changes === changes) return made.list.run();
  const list = new SharedSteps(findVisibleFiles([...store.states.values()], visible));
  lists.set(visible, { changes, list });
  return list.run();
}

/** The file with an id. @throws NotFoundError if the viewer sees no file with it */
export async function getVisibleFile(store: UnitStore, visible: Snapshot, id: string): Promise<CatalogueFile> {
  const files = await runStepsInSlices(listVisibleFiles(store, visible));
  const file = files.find((one) => String(one.id) === id);
  if (!file) throw new NotFoundError();
  return file;
}

/** Files below a folder that have problems, of those that the viewer may see, sorted by path. */
export const listProblemsIn = (folder: string, visible: Snapshot): readonly FileProblems[] =>
  [...visible.diagnostics]
    .filter(([path, problems]) => path.startsWith(`${folder}/`) && problems.length)
    .map(([path, problems]) => ({ path, problems }))
    .sort((a, b) => compareTexts(a.path, b.path));

type FileAt = ReturnType<typeof kindAndRefOfPath> & { readonly path: string };

function* findVisibleFiles(states: readonly UnitState[], visible: Snapshot): Steps<readonly CatalogueFile[]> {
  const files = new Map<string, FileAt>();
  const add = (path: string, place: ReturnType<typeof kindAndRefOfPath>) => files.set(path, { path, ...place });
  yield* eachInSteps(states, (state) => {
    if (!isUnitVisible(visible, state)) return;
    const { reading, stamps } = state;
    const isHidden = makeHiddenFileTest(visible, state);
    for (const [path, stamp] of unpackStamps(stamps)) {
      const record = stamp && parseRecordFileName(path) ? kindAndRefOfPath(path) : null;
      if (record && !isHidden(path, record.ref)) add(path, record);
    }
    if (reading.kind !== 'dataset' || !reading.entity) return;
    for (const version of reading.entity.versions) {
      const path = payloadPath(version.namespace, version.dataset, version.file);
      if (version.file && !isHidden(path, version)) add(path, { kind: 'payload', ref: refOf(version) });
    }
  });
  for (const path of visible.diagnostics.keys()) if (!files.has(path)) add(path, kindAndRefOfPath(path));
  const byPath = yield* sortInSteps([...files.values()], (a, b) => compareTexts(a.path, b.path));
  return yield* toCatalogueFiles(visible, byPath);
}

function* toCatalogueFiles(visible: Snapshot, files: readonly FileAt[]): Steps<readonly CatalogueFile[]> {
  const ids = new Set<number>();
  const list: CatalogueFile[] = [];
  yield* eachInSteps(files, ({ path, kind, ref }) => {
    const problems = visible.diagnostics.get(path) ?? none;
    // Ids are short hashes: two paths may get the same one.
    let id = deriveIdFromAddress('file', path);
    while (ids.has(id)) id = (id % maxId) + 1;
    ids.add(id);
    list.push({
      kind: 'file',
      id,
      path,
      record: kind,
      ref: ref && exists(visible, ref) ? ref : null,
      status: problems.length ? 'invalid' : 'ok',
      problems,
    });
  });
  return list;
}

function exists(visible: Snapshot, ref: Ref): boolean {
  try {
    return Boolean(getEntity(visible, ref as Refs[ListedKind]));
  } catch {
    return false;
  }
}

/**
 * A function that returns true for files of a unit which the viewer may not see: drafts, records of withdrawn versions with
 * values of cells, and broken files whose text says that they are private or drafts.
 */
export function makeHiddenFileTest(
  visible: Snapshot,
  { reading, diagnostics }: UnitState,
): (path: string, ref: Ref | null) => boolean {
  const broken = hiddenBrokenFiles(visible, diagnostics);
  const hidden = hiddenVersions(visible, reading);
  return (path, ref) => broken.includes(path) || (ref?.kind === 'version' && hidden.includes(ref.slug));
}

/** Paths of broken files that the viewer may not see. */
const hiddenBrokenFiles = (visible: Snapshot, diagnostics: UnitState['diagnostics']): readonly string[] =>
  diagnostics.filter(([path, found]) => found.length > 0 && !visible.diagnostics.has(path)).map(([path]) => path);

/** Slugs of the versions of a unit whose files the viewer may not see: drafts, and withdrawn ones whose record has values of cells. */
function hiddenVersions(visible: Snapshot, reading: UnitReading): readonly string[] {
  if (reading.kind !== 'dataset' || !reading.entity?.versions.some(({ draft, withdrawn }) => draft || withdrawn))
    return none;
  const shown = visible.folders.get(reading.namespace)?.datasets.get(reading.slug)?.versions ?? none;
  const bySlug = new Map(shown.map((version) => [version.slug, version]));
  const isHidden = (version: Version) => {
    const part = bySlug.get(version.slug);
    return (
      !part || (version.withdrawn && (part.metadata !== version.metadata || (version.bbox !== null && !part.bbox)))
    );
  };
  return reading.entity.versions.filter(isHidden).map(({ slug }) => slug);
}

/** True if the viewer may see the files of a unit. Of a dataset that was never valid, its namespace and its text decide. */
export function isUnitVisible(visible: Snapshot, { reading, diagnostics }: UnitState): boolean {
  switch (reading.kind) {
    case 'namespace':
      return visible.folders.has(reading.slug);
    case 'dataset': {
      const folder = visible.folders.get(reading.namespace);
      if (!folder || reading.entity) return Boolean(folder?.datasets.has(reading.slug));
      return !folder.isPartial && hiddenBrokenFiles(visible, diagnostics).length === 0;
    }
    case 'query':
      return visible.queries.has(reading.slug);
    case 'user':
      return visible.users.has(reading.slug);
    default:
      return true;
  }
}
