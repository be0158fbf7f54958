/** Rules about references in records: to groups, datasets, versions, images; and about aliases. */

import { addressOfAlias, aliasesWithout, resolveAlias } from './aliases.ts';
import { columnsByOtherName, replaceColumnNamesInParameters } from './column-names.ts';
import { datasetImageAddresses } from './entities.ts';
import { excerpt } from './errors.ts';
import { mediaPathInUrl, type RecordRef } from './layout.ts';
import { allEntities } from './listing.ts';
import { findEntity } from './lookup.ts';
import { parseDatasetRef } from './parse-ref.ts';
import {
  entityRecordPath,
  makeDiagnostic,
  type RecordDiagnostic,
  type RecordEntity,
  type RecordSet,
  type RecordValue,
  type Report,
  type Touched,
} from './record-set.ts';
import { formatRef, formatUserReader, refOf, usernameOfReader } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Dataset, Namespace, Query } from './types.ts';

/** All records that others refer to must exist. */
export function* findMissingReferences(next: RecordSet): Generator<RecordDiagnostic> {
  for (const kind of ['namespace', 'user', 'dataset', 'query'] as const)
    for (const entity of allEntities(next.snapshot, kind))
      for (const found of checkReferences(next, entity)) yield makeDiagnostic(entityRecordPath(next, entity), found);
}

/** Records to which touched records newly refer must exist. */
export function* findNewMissingReferences(next: RecordSet, touched: readonly Touched[]): Generator<RecordDiagnostic> {
  for (const { path, ref, before } of touched) {
    const entity = findEntity(next.snapshot, ref);
    if (entity) for (const found of checkReferences(next, entity, before)) yield makeDiagnostic(path, found);
  }
}

/**
 * @param before the entity before a change, null if it is new: references that it has already are not reported. Undefined if it
 *   isn't written now
 */
function* checkReferences(next: RecordSet, entity: RecordEntity, before?: RecordEntity | null): Generator<Report> {
  for (const field of ['owners', 'groups', 'readers'] as const) {
    const known = before ? membersIn(before, field) : [];
    for (const [i, member] of membersIn(entity, field).entries()) {
      const message = known.includes(member) ? undefined : missingMember(next.snapshot, member, field);
      const username = field === 'readers' ? usernameOfReader(member) : undefined;
      // Only staff see other users.
      const messageInCopy =
        username &&
        `There is no user ${excerpt(username)} in this copy, but perhaps on the remote, which shows other users to staff only. ` +
          'A push checks it.';
      if (message)
        yield { code: 'reference', pointer: `/${field}/${i}`, message, ...(messageInCopy && { messageInCopy }) };
    }
  }
  if (entity.kind === 'query') {
    const isKnown = before?.kind === 'query' && before.dataset === entity.dataset && before.version === entity.version;
    if (!isKnown) yield* checkQueryReferences(next.snapshot, entity, before !== undefined);
  } else if (entity.kind === 'dataset')
    for (const [field, address] of datasetImageAddresses(entity)) {
      const file = mediaPathInUrl(address);
      const found = {
        code: 'image',
        pointer: `/${field}`,
        message: `There is no file ${excerpt(file)}.`,
        severity: 'warning',
      } as const;
      if (file !== null && !next.has(file)) yield found;
    }
}

/** The groups and users that a field of a record names. */
function membersIn(entity: RecordEntity, field: 'owners' | 'groups' | 'readers'): readonly string[] {
  if (field === 'groups') return entity.kind === 'user' ? entity.groups : [];
  return ((entity as Partial<Namespace>)[field] ?? []) as readonly string[];
}

/** Message about a group or user that doesn't exist; undefined if it does. */
function missingMember({ groups, users }: Snapshot, member: string, field: string): string | undefined {
  const username = usernameOfReader(member);
  if (username === undefined ? groups.has(member) : users.has(username)) return undefined;
  if (username === undefined && field === 'readers' && users.has(member))
    return `There is no group ${excerpt(member)}. For the user, write ${excerpt(formatUserReader(member))}.`;
  const [kind, name] = username === undefined ? ['group', member] : ['user', username];
  return `There is no ${kind} ${excerpt(name)}. Add ${kind}s/${excerpt(name)}.yaml, or remove it here.`;
}

/**
 * The dataset and the version of a query must exist when it is written. It may outlive them: a removal warns of it, and so does
 * every check (docs/decisions/0149-queries-of-removed-datasets.md).
 */
function* checkQueryReferences(snapshot: Snapshot, query: Query, isWritten: boolean): Generator<Report> {
  const ref = parseDatasetRef(query.dataset);
  const dataset = snapshot.folders.get(ref.namespace)?.datasets.get(ref.slug);
  const moved = dataset ? undefined : resolveAlias(snapshot, ref);
  const pointer = '/dataset';
  if (moved) {
    const now = formatRef(moved);
    const message = `The dataset ${excerpt(query.dataset)} is ${excerpt(now)} now. Write "dataset: ${excerpt(now)}".`;
    yield { code: 'reference', pointer, message, severity: 'warning', fix: () => ({ dataset: now }) };
  } else if (!dataset) yield missingOf(query, 'dataset', `There is no dataset ${excerpt(query.dataset)}`, isWritten);
  else if (query.version !== null && !dataset.versions.some(({ slug }) => slug === query.version)) {
    const fact = `The dataset ${excerpt(query.dataset)} has no version ${excerpt(query.version)}`;
    yield missingOf(query, 'version', fact, isWritten);
  }
}

/** The report of a query whose dataset or version doesn't exist: an error that refuses a write, or a warning. */
function missingOf({ slug }: Query, field: 'dataset' | 'version', fact: string, isWritten: boolean): Report {
  const found = { code: 'reference', pointer: `/${field}` } as const;
  if (isWritten) return { ...found, message: `${fact}.` };
  const remedy =
    `Remove the query, or name another ${field}: catalogue query remove ${slug}, ` +
    `or catalogue query edit ${slug} --${field} …`;
  return { ...found, severity: 'warning', message: `${fact}, so the query fails. ${remedy}` };
}

/** Public records should not name users as readers if people are hidden: everybody may download the files of such records. */
export function* findNamedReadersOfPublicRecords(next: RecordSet): Generator<RecordDiagnostic> {
  if (next.snapshot.settings.people === 'public') return;
  for (const { namespace, datasets } of next.snapshot.folders.values()) {
    if (namespace?.visibility !== 'public') continue;
    for (const record of [namespace, ...[...datasets.values()].filter(({ visibility }) => visibility === 'public')])
      for (const [i, reader] of record.readers.entries()) {
        const username = usernameOfReader(reader);
        if (username === undefined) continue;
        const message =
          `The record is public, so everybody can read in its file that ${excerpt(username)} is a reader. ` +
          'Name a group instead, or write "people: public" in catalogue.yaml.';
        const found = { code: 'reference', pointer: `/readers/${i}`, message, severity: 'warning' } as const;
        yield makeDiagnostic(entityRecordPath(next, record), found);
      }
  }
}

/** The parameters of saved queries must use the present names of columns: former ones work, but may be given to others. */
export function* findFormerColumnNamesInQueries(next: RecordSet): Generator<RecordDiagnostic> {
  for (const query of allEntities(next.snapshot, 'query')) {
    const { namespace, slug } = parseDatasetRef(query.dataset);
    const dataset = next.snapshot.folders.get(namespace)?.datasets.get(slug);
    if (!dataset || Object.keys(dataset.former_names).length === 0) continue;
    const version = dataset.versions.find((one) => one.slug === query.version);
    const columns = (version?.columns ?? dataset.columns).map(({ name }) => name);
    const others = columnsByOtherName(dataset.former_names, columns);
    const rename = (parameters: Query['parameters']) => replaceColumnNamesInParameters(parameters, columns, others);
    for (const { from, to } of rename(query.parameters).renamed)
      yield makeDiagnostic(entityRecordPath(next, query), {
        code: 'column',
        pointer: '/parameters',
        message: `The column "${excerpt(from)}" of ${excerpt(query.dataset)} is called "${excerpt(to)}" now. Write "${excerpt(to)}".`,
        severity: 'warning',
        fix: (record) => ({ parameters: rename(record.parameters as Query['parameters']).parameters }),
      });
  }
}

/** An alias must belong to one record only, and should not be the address of an existing dataset. */
export function* findAliasConflicts(next: RecordSet): Generator<RecordDiagnostic> {
  for (const kind of ['namespace', 'dataset', 'query', 'group'] as const) {
    const records = [...allEntities(next.snapshot, kind)].filter(({ aliases }) => aliases.length > 0);
    // Of several, the last one has it: see `resolveAlias`.
    const holders = new Map<string, RecordEntity>();
    for (const record of records)
      for (const alias of record.aliases) holders.set(addressOfAlias(record, alias), record);
    for (const record of records)
      for (const [i, alias] of record.aliases.entries()) {
        const address = addressOfAlias(record, alias);
        const holder = holders.get(address) as RecordEntity;
        const found = { code: 'alias', pointer: `/aliases/${i}` } as const;
        if (holder !== record) {
          const message = `The former address ${excerpt(address)} is claimed by ${entityRecordPath(next, holder)} too.`;
          const fix = ({ aliases }: RecordValue) => ({ aliases: aliasesWithout(aliases, record, [address]) });
          yield makeDiagnostic(entityRecordPath(next, record), { ...found, message, fix });
        } else if (kind === 'dataset' && findEntity(next.snapshot, parseDatasetRef(address))) {
          const message = `There is a dataset at ${excerpt(address)}: the alias has no effect.`;
          yield makeDiagnostic(entityRecordPath(next, record), { ...found, message, severity: 'warning' });
        }
      }
  }
}

/** Datasets of a namespace that come from the same record of a source: an import finds only one of them. */
export function* findSharedSources(next: RecordSet): Generator<RecordDiagnostic> {
  const holders = new Map<string, Dataset>();
  for (const dataset of allEntities(next.snapshot, 'dataset')) {
    const { from, id } = dataset.source;
    if (typeof from !== 'string' || typeof id !== 'string') continue;
    const key = `${dataset.namespace}\n${from}\n${id}`;
    const holder = holders.get(key);
    holders.set(key, holder ?? dataset);
    if (!holder) continue;
    const other = refOf(holder) as RecordRef;
    const message =
      `The dataset ${formatRef(other)} comes from the same record of the source: an import updates only one of the two. ` +
      'Remove one, or its "source".';
    const path = entityRecordPath(next, dataset);
    yield makeDiagnostic(path, { code: 'value', pointer: '/source', severity: 'warning', message, other });
  }
}
