/** Look-ups in a catalogue: whole collections, and records by name, with suggestions where a name leads nowhere. */
import type { Credentials } from '../catalogue/accounts.ts';
import type { Catalogue, ListOptions } from '../catalogue/catalogue.ts';
import { closestWord } from '../catalogue/closest.ts';
import { ConflictError, MovedError, NotFoundError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import { kindAndRefOfPath, recordPaths, versionsFolder } from '../catalogue/layout.ts';
import {
  datasetRefOf,
  formatRef,
  type RefOf,
  type Refs,
  refOf,
  type UserRef,
  type VersionRef,
} from '../catalogue/ref.ts';
import type { Dataset, Entities, Kind, Version } from '../catalogue/types.ts';
import type { Call } from './command.ts';
import { isRemoteCatalogue } from './context.ts';
import { typedCommand } from './typed-command.ts';

/** A reference to a record that has a name. */
export type NamedRef = Refs['namespace' | 'dataset' | 'version' | 'query' | 'group' | 'user'];

/** All entities of a collection, page after page, or the first `limit` of them. */
export async function listEntities<K extends Kind>(
  catalogue: Catalogue,
  kind: K,
  options: Omit<ListOptions, 'page' | 'cursor'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly Entities[K][]> {
  const items: Entities[K][] = [];
  const pageSize = Math.min(limit, catalogue.settings.max_page_size);
  for await (const item of listAll(catalogue, kind, { ...options, pageSize })) if (items.push(item) >= limit) break;
  return items;
}

/**
 * Runs an action on a record. Where the record isn't found, the error says which similar name exists, or the new name, or
 * where the record is broken.
 * @throws NotFoundError, ConflictError
 */
export async function runWithNameSuggestions<T>(
  call: Call,
  catalogue: Catalogue,
  ref: NamedRef,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof MovedError)
      throw new NotFoundError(`${formatRef(ref)} is called ${formatRef(error.to)} now. Use that name.`);
    // The version is there, and the message says what to run.
    if (error instanceof NotFoundError && error.message.includes('Git LFS pointer'))
      throw new NotFoundError(`${formatRef(ref)}: ${error.message}`);
    if (!(error instanceof NotFoundError)) throw error;
    const broken = await findBrokenRecord(call, catalogue, ref);
    if (broken !== undefined) throw new ConflictError(broken);
    throw new NotFoundError(await missing(call, catalogue, ref));
  }
}

/** The record that a reference names. Where it was renamed, the renamed record, with a message. */
export async function findEntityOrRenamed<K extends NamedRef['kind']>(
  call: Call,
  catalogue: Catalogue,
  ref: RefOf<K>,
): Promise<Entities[K]> {
  const get = (at: RefOf<K>) => catalogue.get<K>(at);
  return runWithNameSuggestions(call, catalogue, ref, async () => {
    try {
      return await get(ref);
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      call.show.message(`${formatRef(ref)} is called ${formatRef(error.to)} now.`);
      return get(error.to as RefOf<K>);
    }
  });
}

/** The version that a reference names, and its own reference: `latest` is resolved. */
export async function resolveVersionRef(
  call: Call,
  catalogue: Catalogue,
  ref: VersionRef,
): Promise<{ readonly version: Version; readonly ref: VersionRef }> {
  const version = await findEntityOrRenamed(call, catalogue, ref);
  return { version, ref: refOf(version) as VersionRef };
}

/** The accounts of a catalogue that has this user. @throws NotFoundError */
export async function openAccountsIfUserExists(call: Call, ref: UserRef): Promise<Credentials> {
  const catalogue = await call.open();
  await runWithNameSuggestions(call, catalogue, ref, () => catalogue.get<'user'>(ref));
  return call.accounts();
}

/**
 * The message for a record of a local catalogue that isn't found, or can't be made, because its file is broken, or that of its
 * dataset; for `latest`, because all versions are.
 * @returns undefined if it isn't broken, or the catalogue is remote
 */
export async function findBrokenRecord(call: Call, catalogue: Catalogue, ref: NamedRef): Promise<string | undefined> {
  if (isRemoteCatalogue(catalogue)) return undefined;
  const refs = ref.kind === 'version' ? [datasetRefOf(ref), ref] : [ref];
  const paths = refs.flatMap(recordPaths);
  const folder = ref.kind === 'version' && ref.slug === 'latest' && `${versionsFolder(ref.namespace, ref.dataset)}/`;
  const files = await listEntities(catalogue, 'file', { filters: { status: ['invalid'] } });
  for (const { path, problems } of files) {
    const [error] = problems.filter(({ severity }) => severity === 'error');
    if (error && (paths.includes(path) || (folder && path.startsWith(folder))))
      return (
        `The record of ${formatRef(kindAndRefOfPath(path).ref ?? ref)} is broken: ${path}:${error.line}: ` +
        `${error.message} To see all errors: ${typedCommand(call, 'check')}`
      );
  }
  return undefined;
}

/** The message for a record that isn't found. */
async function missing(call: Call, catalogue: Catalogue, ref: NamedRef): Promise<string> {
  switch (ref.kind) {
    case 'namespace':
      return missingNamespace(call, catalogue, ref.slug);
    case 'dataset':
      return missingDataset(call, catalogue, ref);
    case 'version':
      return missingVersion(call, catalogue, ref);
    default:
      return missingNamed(call, catalogue, ref);
  }
}

async function missingDataset(call: Call, catalogue: Catalogue, ref: Refs['dataset']): Promise<string> {
  const datasets = await listEntities(catalogue, 'dataset', {});
  const within = datasets.filter(({ namespace }) => namespace === ref.namespace).map(({ slug }) => slug);
  const others = datasets.filter(({ namespace }) => namespace !== ref.namespace).map(formatRef);
  const near = closestWord(ref.slug, within);
  const meant = near === undefined ? closestWord(formatRef(ref), others) : `${ref.namespace}/${near}`;
  if (meant) return `There is no dataset ${formatRef(ref)}. Did you mean ${meant}?`;
  if (within.length)
    return `There is no dataset ${formatRef(ref)}. See: ${typedCommand(call, 'dataset list', [ref.namespace])}`;
  const namespaces = await listEntities(catalogue, 'namespace', {});
  return namespaces.some(({ slug }) => slug === ref.namespace)
    ? `There is no dataset ${formatRef(ref)}. Add it with: ${typedCommand(call, 'dataset add', [formatRef(ref)])} --label …`
    : missingNamespace(call, catalogue, ref.namespace);
}

async function missingVersion(call: Call, catalogue: Catalogue, ref: VersionRef): Promise<string> {
  const home = datasetRefOf(ref);
  const dataset: Dataset | null = await catalogue.get<'dataset'>(home).catch((error) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (!dataset) return missingDataset(call, catalogue, home);
  const name = formatRef(home);
  if (dataset.versions.length === 0)
    return `${name} has no version yet. Add one with: ${typedCommand(call, 'version add', [name])} FILE`;
  if (ref.slug === 'latest')
    return `No version of ${name} is ready. See: ${typedCommand(call, 'version list', [name])}`;
  const slugs = dataset.versions.map(({ slug }) => slug);
  // People type the first of the 20 digits: a common prefix says more than the edit distance.
  const meant = slugs.find((slug) => slug.startsWith(ref.slug)) ?? closestWord(ref.slug, slugs);
  const hint = meant ? `Did you mean ${name}@${meant}?` : `See: ${typedCommand(call, 'version list', [name])}`;
  return `There is no version ${formatRef(ref)}. ${hint}`;
}

async function missingNamed(
  call: Call,
  catalogue: Catalogue,
  { kind, slug }: Refs['query' | 'group' | 'user'],
): Promise<string> {
  const others = await listEntities<typeof kind>(catalogue, kind, {});
  const meant = closestWord(
    slug,
    others.map((other) => other.slug),
  );
  return `There is no ${kind} ${slug}. ${meant ? `Did you mean ${meant}?` : `See: ${typedCommand(call, `${kind} list`)}`}`;
}

async function missingNamespace(call: Call, catalogue: Catalogue, slug: string): Promise<string> {
  const namespaces = await listEntities(catalogue, 'namespace', {});
  const meant = closestWord(
    slug,
    namespaces.map((namespace) => namespace.slug),
  );
  return (
    `There is no namespace ${slug}. ${meant ? `Did you mean ${meant}? ` : ''}` +
    `Add it with: ${typedCommand(call, 'namespace add', [slug])} --label …`
  );
}
