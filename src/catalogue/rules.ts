/**
 * Rules between the records of a catalogue. The command `check` checks all rules for all records. Every write (edit, create,
 * move, restore, push) checks names, ids, containers and references of the records that it changes, before it writes.
 */

import { resolveAlias } from './aliases.ts';
import { entitiesWithIds } from './entities-by-id.ts';
import { randomUnusedId } from './ids.ts';
import { kindAndRefOfPath, parseRecordFileName, type RecordRef, recordPaths, siblingsFolder } from './layout.ts';
import { allEntities, type ListedKind } from './listing.ts';
import { findFaultsInContents, findFaultsOfDataset } from './own-rules.ts';
import {
  entityRecordPath,
  makeDiagnostic,
  type RecordDiagnostic,
  type RecordEntity,
  type RecordSet,
  type Touched,
} from './record-set.ts';
import { type DatasetRef, datasetRefOf, formatRef, type NamespaceRef, refOf } from './ref.ts';
import {
  findAliasConflicts,
  findFormerColumnNamesInQueries,
  findMissingReferences,
  findNamedReadersOfPublicRecords,
  findNewMissingReferences,
  findSharedSources,
} from './reference-rules.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Diagnostics of records that violate a rule.
 * @param next the records after the changes
 * @param touched the records that change, in order: only problems that their changes cause are reported; if absent, all
 *   records are checked
 */
export function findRuleViolations(next: RecordSet, touched?: readonly Touched[]): readonly RecordDiagnostic[] {
  if (touched)
    return [...checkNewNames(next, touched), ...checkNewIds(next, touched), ...findNewMissingReferences(next, touched)];
  return [
    ...checkContents(next),
    ...checkIds(next),
    ...findMissingReferences(next),
    ...findNamedReadersOfPublicRecords(next),
    ...findAliasConflicts(next),
    ...findSharedSources(next),
    ...findFormerColumnNamesInQueries(next),
    ...checkDatasets(next),
  ];
}

const kinds: readonly ListedKind[] = ['namespace', 'dataset', 'version', 'group', 'user', 'query'];

/** Message about an id that another record has. */
const duplicateIdMessage = (id: number, other: string): string => `The id ${id} is already used by ${other}.`;
const describeRef = (ref: RecordRef) => `${ref.kind} ${formatRef(ref)}`;

/** The entities of a kind by id, and the ids that several have: these are of none of them. */
function ownersOfIds(all: readonly RecordEntity[]) {
  const owners = new Map<number, RecordEntity>();
  const shared = new Set<number>();
  for (const entity of all)
    if (owners.has(entity.id)) shared.add(entity.id);
    else owners.set(entity.id, entity);
  for (const id of shared) owners.delete(id);
  return { owners, shared };
}

/** The paths of all records that have the id of another record of their kind, with these ids. */
export function findSharedIds(next: RecordSet): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const kind of kinds) {
    const all = [...allEntities(next.snapshot, kind)];
    const { shared } = ownersOfIds(all);
    if (shared.size)
      for (const entity of all) if (shared.has(entity.id)) found.set(entityRecordPath(next, entity), entity.id);
  }
  return found;
}

/** Identifiers must be written in the files, and be unique within their kind. */
function* checkIds(next: RecordSet): Generator<RecordDiagnostic> {
  for (const kind of kinds) {
    const all = [...allEntities(next.snapshot, kind)];
    const { owners, shared } = ownersOfIds(all);
    const doubtful = all.filter((entity) => shared.has(entity.id) || !next.isFaultless?.(entity));
    const entities = doubtful.map((entity) => {
      const path = entityRecordPath(next, entity);
      const isWritten = next.record(path)?.id !== undefined;
      return { entity, path, isWritten };
    });
    // Of two equal ids, one that is derived from the address is reported rather than one that is written in a file, and
    // that of a copy rather than that of its original.
    entities.sort(
      (a, b) =>
        Number(b.isWritten) - Number(a.isWritten) ||
        (next.compareHolders?.(a.path, b.path) ?? 0) ||
        (a.path < b.path ? -1 : 1),
    );
    for (const { entity, path, isWritten } of entities) {
      const owner = owners.get(entity.id);
      if (owner && owner !== entity) {
        const twins = recordAtFormerAddress(next.snapshot, owner, entity);
        if (twins) {
          yield makeDiagnostic(entityRecordPath(next, twins.former), formerAddressDiagnostic(twins));
          continue;
        }
        const id = randomUnusedId((candidate) => owners.has(candidate) || shared.has(candidate));
        owners.set(id, entity);
        const other = refOf(owner) as RecordRef;
        const message = duplicateIdMessage(entity.id, describeRef(other));
        yield makeDiagnostic(path, { code: 'id', pointer: '/id', message, other, fix: () => ({ id }) });
        continue;
      }
      owners.set(entity.id, entity);
      if (isWritten || next.record(path) === undefined) continue;
      const { id } = entity;
      const message = `There is no id: ${id} is derived from the address, and will change with it. Write "id: ${id}".`;
      yield makeDiagnostic(path, { code: 'missing-id', message, severity: 'warning', fix: () => ({ id }) });
    }
  }
}

/** Two records with one id, the first of which stands at a former address of the second. */
interface Twins {
  readonly former: RecordEntity;
  readonly present: RecordEntity;
}

/**
 * Of two records with one id, the one at a former address of the other. They are one record: a branch renamed it, another
 * one changed it, and their merge has both. A new id would make the change a record of its own.
 */
function recordAtFormerAddress(snapshot: Snapshot, a: RecordEntity, b: RecordEntity): Twins | undefined {
  const isFormerOf = (one: RecordEntity, other: RecordEntity) => {
    const present = resolveAlias(snapshot, refOf(one));
    return present !== undefined && formatRef(present) === formatRef(refOf(other));
  };
  if (isFormerOf(b, a)) return { former: b, present: a };
  return isFormerOf(a, b) ? { former: a, present: b } : undefined;
}

function formerAddressDiagnostic({ former, present }: Twins) {
  const other = refOf(present) as RecordRef;
  const message =
    `${duplicateIdMessage(former.id, describeRef(other))} That one had this address before, so both are probably one ` +
    'record, of two branches that were merged: move there what is new here, and remove this one.';
  return { code: 'id', pointer: '/id', message, other } as const;
}

/** A new or changed identifier must not be written in the file of another record. */
function* checkNewIds(next: RecordSet, touched: readonly Touched[]): Generator<RecordDiagnostic> {
  const wanted = touched.flatMap(({ path, ref, before }) => {
    const id = next.record(path)?.id;
    return typeof id === 'number' && id !== before?.id ? [{ path, ref, id }] : [];
  });
  // Of two new records with one id, the first keeps it. Records that don't change come before all that do.
  const order = new Map(touched.map(({ ref }, i) => [describeRef(ref), i]));
  for (const kind of new Set(wanted.map(({ ref }) => ref.kind))) {
    const own = wanted.filter(({ ref }) => ref.kind === kind);
    const holders = holdersOf(next.snapshot, kind, new Set(own.map(({ id }) => id)));
    for (const { path, ref, id } of own) {
      const rank = order.get(describeRef(ref)) ?? 0;
      const other = holders.get(id)?.find((one) => {
        if (describeRef(one) === describeRef(ref) || (order.get(describeRef(one)) ?? -1) > rank) return false;
        return recordPaths(one).some((place) => next.record(place)?.id === id);
      });
      if (other)
        yield makeDiagnostic(path, {
          code: 'id',
          pointer: '/id',
          message: duplicateIdMessage(id, describeRef(other)),
          other,
        });
    }
  }
}

/** The records of a kind that have one of these ids. */
function holdersOf(snapshot: Snapshot, kind: ListedKind, ids: ReadonlySet<number>): Map<number, RecordRef[]> {
  const holders = new Map<number, RecordRef[]>();
  for (const entity of entitiesWithIds(snapshot, kind, ids))
    holders.set(entity.id, [...(holders.get(entity.id) ?? []), refOf(entity) as RecordRef]);
  return holders;
}

/**
 * A new record must have a container, and a name that differs from others in more than case. (Existing records are checked
 * when they are read.)
 */
function* checkNewNames(next: RecordSet, touched: readonly Touched[]): Generator<RecordDiagnostic> {
  const listings = new Map<string, Map<string, string[]>>();
  const containers = new Map<string, boolean>();
  for (const { path, ref, isNew, isTaken } of touched) {
    if (!isNew) continue;
    const container = containingRecordRef(ref);
    const parent = siblingsFolder(ref);
    const hasContainer = containers.get(parent) ?? (!container || recordPaths(container).some((one) => next.has(one)));
    containers.set(parent, hasContainer);
    if (container && !hasContainer)
      yield makeDiagnostic(path, {
        code: 'container',
        message: `There is no ${describeRef(container)}.`,
        other: container,
      });
    const names = listings.get(parent) ?? namesByCase(next.names(parent));
    listings.set(parent, names);
    const twin = names.get(ref.slug.toLowerCase())?.find((name) => name !== ref.slug);
    const file = recordPaths(ref).find((one) => one !== path && next.has(one));
    if (isTaken)
      yield makeDiagnostic(path, { code: 'name', message: `There is a ${describeRef(ref)} already.`, other: ref });
    else if (file) {
      const message = `${path} and ${file} describe the same record: keep one of them.`;
      yield makeDiagnostic(path, { code: 'name', message });
    } else if (twin !== undefined && twinComesFirst(touched, ref, twin)) {
      const message = `There is a ${ref.kind} ${twin} already: names that differ only in case are the same.`;
      yield makeDiagnostic(path, { code: 'name', message, other: { ...ref, slug: twin } });
    }
  }
}

/** True if the twin is touched before the record: of two new names that differ only in case, the first is valid. */
function twinComesFirst(touched: readonly Touched[], ref: RecordRef, twin: string): boolean {
  const parent = siblingsFolder(ref);
  const index = (slug: string) =>
    touched.findIndex((one) => one.ref.slug === slug && siblingsFolder(one.ref) === parent);
  return index(twin) < index(ref.slug);
}

function namesByCase(names: readonly string[]): Map<string, string[]> {
  const byCase = new Map<string, string[]>();
  for (const name of names) {
    // Folders have no extension, files that of a record.
    const stem = parseRecordFileName(name)?.stem ?? name;
    byCase.set(stem.toLowerCase(), [...(byCase.get(stem.toLowerCase()) ?? []), stem]);
  }
  return byCase;
}

/** The record whose folder contains a record; null if there is none. */
export function containingRecordRef(ref: RecordRef): NamespaceRef | DatasetRef | null {
  if (ref.kind === 'dataset') return { kind: 'namespace', slug: ref.namespace };
  return ref.kind === 'version' ? datasetRefOf(ref) : null;
}

function* checkDatasets(next: RecordSet): Generator<RecordDiagnostic> {
  for (const dataset of allEntities(next.snapshot, 'dataset'))
    if (!next.isFaultless?.(dataset)) yield* findFaultsOfDataset(next, dataset);
}

/** Keys must not look like a misspelled key of the schema, and values must be what their field means. */
function* checkContents(next: RecordSet): Generator<RecordDiagnostic> {
  for (const path of next.uncheckedPaths?.() ?? next.paths()) {
    const record = next.record(path);
    const { kind } = kindAndRefOfPath(path);
    if (record && kind !== 'payload' && kind !== 'unknown') yield* findFaultsInContents(kind, path, record);
  }
}
