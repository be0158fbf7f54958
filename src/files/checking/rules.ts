/** What must hold between the records of a catalogue: identifiers, links, addresses. One rule, one function. */
import { movedTo } from '../../catalogue/aliases.ts';
import { drawId } from '../../catalogue/ids.ts';
import { extensions, mediaPathIn, recordStem, unitOf } from '../../catalogue/layout.ts';
import { allOf, type ListedKind } from '../../catalogue/listing.ts';
import { formatRef, parseDatasetRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Entity } from '../../catalogue/types.ts';
import { type FileTree, UnreadableFileError } from '../tree/disk-tree.ts';

/** Something that looks wrong. */
export interface Doubt {
  readonly path: string;
  /** Where in the record; line and column are found from it where they aren't given. */
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** Default: error. */
  readonly severity?: 'error' | 'warning';
  /** What to write instead, where that is beyond doubt. */
  readonly mend?: (value: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

export interface Facts {
  readonly snapshot: Snapshot;
  readonly folder: FileTree;
  /** Every record that can be parsed, by path. */
  readonly texts: ReadonlyMap<string, { readonly text: string; readonly value: Readonly<Record<string, unknown>> }>;
  /** Where only what changed is looked at: the files that did. Of two that clash, one of them is wrong. */
  readonly touched?: ReadonlySet<string>;
}

export type Rule = (facts: Facts) => Iterable<Doubt>;

const kinds: readonly ListedKind[] = ['namespace', 'dataset', 'version', 'group', 'user', 'query'];

/** The path of the record of an entity that was read. */
export function pathOfRecord({ texts }: Facts, entity: Exclude<Entity, { kind: 'file' }>): string {
  const ref = refOf(entity) as Exclude<Ref, { kind: 'file' }>;
  const stem =
    ref.kind === 'version'
      ? recordStem(unitOf(ref)).replace(/dataset$/, `versions/${ref.slug}`)
      : recordStem(unitOf(ref));
  return extensions.map((extension) => `${stem}.${extension}`).find((path) => texts.has(path)) ?? `${stem}.yaml`;
}

/** Identifiers are written down, and unique within their kind. */
function* identifiers(facts: Facts): Generator<Doubt> {
  for (const kind of kinds) {
    const owners = new Map<number, string>();
    const entities = [...allOf(facts.snapshot, kind)].map((entity) => ({ entity, path: pathOfRecord(facts, entity) }));
    // Written identifiers come first: a derived one gives way.
    const written = ({ path }: { path: string }) => facts.texts.get(path)?.value.id !== undefined;
    const touched = ({ path }: { path: string }) => facts.touched?.has(path);
    entities.sort(
      (a, b) =>
        Number(written(b)) - Number(written(a)) ||
        Number(touched(a) ?? 0) - Number(touched(b) ?? 0) ||
        (a.path < b.path ? -1 : 1),
    );
    for (const { entity, path } of entities) {
      const owner = owners.get(entity.id);
      if (owner !== undefined) {
        const id = drawId((candidate) => owners.has(candidate));
        owners.set(id, path);
        yield { path, pointer: '/id', message: `The id ${entity.id} is that of ${owner} too.`, mend: () => ({ id }) };
        continue;
      }
      owners.set(entity.id, path);
      if (!facts.texts.has(path) || written({ path })) continue;
      const { id } = entity;
      const message = `There is no id: ${id} is derived from the address, and will change with it. Write "id: ${id}".`;
      yield { path, message, severity: 'warning', mend: () => ({ id }) };
    }
  }
}

/** Whether a file is there and may be looked at. */
export function isThere(folder: FileTree, path: string): boolean {
  try {
    return folder.stamp(path) !== null;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/** What a record names exists. */
function* links(facts: Facts): Generator<Doubt> {
  const { snapshot, folder } = facts;
  for (const namespace of allOf(snapshot, 'namespace'))
    for (const [i, group] of namespace.owners.entries())
      if (!snapshot.groups.has(group))
        yield {
          path: pathOfRecord(facts, namespace),
          pointer: `/owners/${i}`,
          message: `There is no group "${group}". Add groups/${group}.yaml, or take it out.`,
        };
  for (const user of snapshot.users.values())
    for (const [i, group] of user.groups.entries())
      if (!snapshot.groups.has(group))
        yield {
          path: pathOfRecord(facts, user),
          pointer: `/groups/${i}`,
          message: `There is no group "${group}". Add groups/${group}.yaml, or take it out.`,
        };
  for (const dataset of allOf(snapshot, 'dataset'))
    for (const field of ['image', 'showcase_image', 'thumbnail_image'] as const) {
      const file = mediaPathIn(dataset[field]);
      if (file && !isThere(folder, file))
        yield {
          path: pathOfRecord(facts, dataset),
          pointer: `/${field}`,
          message: `There is no file ${file}.`,
          severity: 'warning',
        };
    }
}

/** Saved questions ask about datasets that are there. */
function* queries(facts: Facts): Generator<Doubt> {
  const { snapshot } = facts;
  for (const query of snapshot.queries.values()) {
    const path = pathOfRecord(facts, query);
    const ref = parseDatasetRef(query.dataset);
    const dataset = snapshot.folders.get(ref.namespace)?.datasets.get(ref.slug);
    const moved = dataset ? undefined : movedTo(snapshot, ref);
    if (moved) {
      const now = formatRef(moved);
      const message = `The dataset ${query.dataset} is ${now} now. Write "dataset: ${now}".`;
      yield { path, pointer: '/dataset', message, severity: 'warning', mend: () => ({ dataset: now }) };
    } else if (!dataset) yield { path, pointer: '/dataset', message: `There is no dataset ${query.dataset}.` };
    else if (query.version !== null && !dataset.versions.some(({ slug }) => slug === query.version))
      yield { path, pointer: '/version', message: `The dataset ${query.dataset} has no version "${query.version}".` };
  }
}

/** A former address belongs to one dataset, and to none that is there. */
function* addresses(facts: Facts): Generator<Doubt> {
  const { snapshot } = facts;
  const claimed = new Map<string, string>();
  for (const dataset of allOf(snapshot, 'dataset')) {
    const path = pathOfRecord(facts, dataset);
    for (const [i, alias] of dataset.aliases.entries()) {
      const address = alias.includes('/') ? alias : `${dataset.namespace}/${alias}`;
      const [namespace = '', slug = ''] = address.split('/');
      const pointer = `/aliases/${i}`;
      const other = claimed.get(address);
      if (other) yield { path, pointer, message: `The former address ${address} is claimed by ${other} too.` };
      else if (snapshot.folders.get(namespace)?.datasets.has(slug))
        yield {
          path,
          pointer,
          message: `There is a dataset at ${address}: the alias does nothing.`,
          severity: 'warning',
        };
      claimed.set(address, path);
    }
  }
}

/** A column's name is its own. */
function* columns(facts: Facts): Generator<Doubt> {
  for (const dataset of allOf(facts.snapshot, 'dataset')) {
    const seen = new Set<string>();
    for (const [i, { name }] of dataset.columns.entries()) {
      if (seen.has(name))
        yield {
          path: pathOfRecord(facts, dataset),
          pointer: `/columns/${i}/name`,
          message: `There are two columns named "${name}".`,
        };
      seen.add(name);
    }
  }
}

export const rules: readonly Rule[] = [identifiers, links, queries, addresses, columns];
