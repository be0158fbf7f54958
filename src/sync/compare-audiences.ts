/** Comparison of who may see namespaces and datasets on both sides, by the texts of their records. */
import { enclosingContainerFolders, extensions } from '../catalogue/layout.ts';
import { isPublicRecord, showsMore } from '../catalogue/shows-more.ts';
import { type AudienceComparison, type MoveBetweenNamespaces, sameAudiences, type Wider } from './audience.ts';
import { type ComparedTexts, readSideFields } from './compared-texts.ts';
import { isSameFile } from './extensions.ts';
import type { RecordFields } from './field-conflicts.ts';
import { containerFolder, type Files, type Side, syncFileKind } from './files.ts';
import { type Move, movesLackedBy, pathAfterMoves } from './moves.ts';
import { folderOfNamedDataset } from './queries-of-moves.ts';
import { groupRenamedBy, type RenamedGroup } from './target-changes.ts';

/**
 * Compares who may see the namespaces and datasets that differ, and in whose folders there are other differences; and those between
 * which datasets were moved.
 */
export async function compareAudiences(compared: ComparedTexts): Promise<AudienceComparison> {
  const { ours, theirs, moves } = compared;
  const differing = differingContainers(ours, theirs);
  const between = movesBetweenNamespaces(moves);
  if (differing.size + between.length === 0) return sameAudiences;
  const queries = await readDatasetsOfQueries(compared);
  const touched = foldersWithDifferences(ours, theirs);
  for (const record of [...queries.values()].flat())
    for (const folder of enclosingContainerFolders(record)) touched.add(folder);
  const moved = await Promise.all(
    between.map(async (move) => ({ ...move, ...(await compareNamespaces(move, compared)) })),
  );
  for (const { record, left, entered, isWidening } of moved) {
    touched.add(left).add(entered);
    // Of others, the order of the record and the move doesn't matter.
    if (isWidening) touched.add(containerFolder(record) ?? '');
  }
  const leftBy = new Map(between.map(({ record, left }) => [record, left]));
  const records = new Map<string, Wider>();
  for (const [folder, path] of differing) {
    if (!touched.has(folder)) continue;
    const [our, their] = [await readAudience(compared, 'ours', path), await readAudience(compared, 'theirs', path)];
    const kind = syncFileKind(path) === 'namespace' ? 'namespace' : 'dataset';
    const namespaces = kind === 'dataset' ? await readNamespacesOf(compared, path, leftBy.get(path)) : [];
    const shows = (one: RecordFields | null, other: RecordFields | null) =>
      one !== null && showsMore(one, other, kind, namespaces);
    const wider = { ours: shows(our, their), theirs: shows(their, our) };
    if (wider.ours || wider.theirs) records.set(path, wider);
  }
  return { records, moves: moved, queries };
}

/** A move of a dataset into another namespace, before it is known who may see it there. */
type PlaceChange = Omit<MoveBetweenNamespaces, keyof AudienceOfMove>;
type AudienceOfMove = Pick<MoveBetweenNamespaces, 'isWidening' | 'isMixed' | 'isClosing'>;

/** Groups that moves rename, by these moves: they are looked through once for thousands of datasets. */
const renamedGroups = new WeakMap<readonly Move[], readonly RenamedGroup[]>();

function findRenamedGroups(moves: readonly Move[]): readonly RenamedGroup[] {
  const renamed = renamedGroups.get(moves) ?? moves.flatMap((move) => groupRenamedBy(move) ?? []);
  renamedGroups.set(moves, renamed);
  return renamed;
}

/**
 * The fields of a namespace or dataset on a side, in which groups have their names after the moves; null if they can't be read.
 * @param path after the moves
 */
async function readAudience(compared: ComparedTexts, side: Side, path: string): Promise<RecordFields | null> {
  const fields = await readSideFields(compared, side, path);
  const renamed = findRenamedGroups(movesLackedBy(side, compared.moves));
  if (fields === null || renamed.length === 0) return fields;
  const newName = (name: unknown) => renamed.reduce((now, { from, to }) => (now === from ? to : now), name);
  const withNewNames = (names: unknown) => (Array.isArray(names) ? names.map(newName) : names);
  return { ...fields, readers: withNewNames(fields.readers), owners: withNewNames(fields.owners) };
}

/**
 * The records of the namespaces in which a dataset is on either side; null for one that can't be read.
 * @param left folder of the namespace that it leaves, if it moves
 */
async function readNamespacesOf(
  compared: ComparedTexts,
  dataset: string,
  left: string | undefined,
): Promise<readonly (RecordFields | null)[]> {
  const folders = [enclosingContainerFolders(dataset).at(-1) ?? '', ...(left === undefined ? [] : [left])];
  const records = (['ours', 'theirs'] as const).flatMap((side) =>
    folders.map((folder) => readNamespace(compared, side, folder)),
  );
  return (await Promise.all(records)).filter((fields) => fields !== undefined);
}

/** The fields of the namespace of a folder on a side; undefined if it lacks that, null if they can't be read. */
async function readNamespace(
  compared: ComparedTexts,
  side: Side,
  folder: string,
): Promise<RecordFields | null | undefined> {
  const path = extensions.map((one) => `${folder}namespace.${one}`).find((one) => compared[side].has(one));
  return path === undefined ? undefined : readAudience(compared, side, path);
}

/** Paths of the namespaces and datasets that both sides have, with different records, by their folder. */
function differingContainers(ours: Files, theirs: Files): ReadonlyMap<string, string> {
  const containers = new Map<string, string>();
  for (const [path, file] of ours) {
    const other = theirs.get(path);
    const folder = other && !isSameFile(file, other) && file.checksum && other.checksum ? containerFolder(path) : null;
    if (folder !== null) containers.set(folder, path);
  }
  return containers;
}

/** Folders of the namespaces and datasets in which a file differs, other than their own records. */
function foldersWithDifferences(ours: Files, theirs: Files): Set<string> {
  const folders = new Set<string>();
  const add = (path: string) => {
    const own = containerFolder(path);
    for (const folder of enclosingContainerFolders(path)) if (folder !== own) folders.add(folder);
  };
  for (const [path, file] of ours) if (!isSameFile(file, theirs.get(path))) add(path);
  for (const path of theirs.keys()) if (!ours.has(path)) add(path);
  return folders;
}

function movesBetweenNamespaces(moves: readonly Move[]): readonly PlaceChange[] {
  return moves.flatMap((move, i) => {
    if (syncFileKind(move.path) !== 'dataset') return [];
    const record = pathAfterMoves(move.to, moves, i + 1);
    const left = enclosingContainerFolders(pathAfterMoves(move.path, moves, i + 1)).at(-1) ?? '';
    const entered = enclosingContainerFolders(record).at(-1) ?? '';
    return left === entered ? [] : [{ move, record, left, entered }];
  });
}

/** Compares who may see a dataset in the namespace that it leaves and the one that it comes into, on the side that lacks the move. */
async function compareNamespaces(
  { move, record, left, entered }: PlaceChange,
  compared: ComparedTexts,
): Promise<AudienceOfMove> {
  const target = move.by === 'ours' ? 'theirs' : 'ours';
  const before = (await readNamespace(compared, target, left)) ?? null;
  const places = [await readNamespace(compared, target, entered), await readNamespace(compared, move.by, entered)];
  const after = places.filter((fields) => fields !== undefined);
  const isClosing = isPublicRecord(before) && !after.every(isPublicRecord);
  // Most datasets move between public namespaces: their records needn't be read.
  const mayWiden = after.some((fields) => fields && showsMore(withoutOwners(fields), before, 'namespace'));
  if (!mayWiden) return { isWidening: false, isMixed: false, isClosing };
  const isPublic = isPublicRecord(await readAudience(compared, target, record));
  const isWidening = !(isPublic && isPublicRecord(before));
  const losesReaders = (fields: RecordFields | null) =>
    !(isPublic && isPublicRecord(fields)) &&
    (before === null || showsMore(readersOf(before), readersOf(fields ?? {}), 'namespace'));
  return { isWidening, isMixed: isWidening && after.some(losesReaders), isClosing };
}

const readersOf = ({ readers }: RecordFields): RecordFields => ({ visibility: 'private', readers });

/** Another namespace nearly always has other owners: they are meant to see what comes into it. */
const withoutOwners = ({ owners: _, ...fields }: RecordFields): RecordFields => fields;

/** Paths of the records of the datasets to which the queries that differ belong on either side, by the path of the query. */
async function readDatasetsOfQueries(compared: ComparedTexts): Promise<Map<string, readonly string[]>> {
  const { ours, theirs, moves } = compared;
  const records = new Map<string, readonly string[]>();
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    if (syncFileKind(path) !== 'query' || isSameFile(ours.get(path), theirs.get(path))) continue;
    const found = new Set<string>();
    for (const side of ['ours', 'theirs'] as const) {
      if (!compared[side].get(path)?.checksum) continue;
      const folder = folderOfNamedDataset((await readSideFields(compared, side, path))?.dataset);
      if (folder !== null) found.add(pathAfterMoves(`${folder}dataset.yaml`, movesLackedBy(side, moves)));
    }
    if (found.size > 0) records.set(path, [...found]);
  }
  return records;
}
