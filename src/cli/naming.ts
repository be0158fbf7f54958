/** Names that lead somewhere, or what to type instead. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { closest } from '../catalogue/closest.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { datasetOf, formatRef, type Refs, refOf, type VersionRef } from '../catalogue/ref.ts';
import type { Dataset, Entities, Version } from '../catalogue/types.ts';
import { collect } from './collect.ts';
import type { Show } from './output/show.ts';

type Named = Refs['namespace' | 'dataset' | 'version' | 'query' | 'group' | 'user'];

/**
 * Does something with what a reference names.
 * @throws NotFoundError that says what was probably meant, or how it is called now
 */
export async function reach<T>(catalogue: Catalogue, ref: Named, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof MovedError)
      throw new NotFoundError(`${formatRef(ref)} is called ${formatRef(error.to)} now. Use that name.`);
    if (error instanceof NotFoundError) throw new NotFoundError(await missing(catalogue, ref));
    throw error;
  }
}

/** What a reference names; of something that was renamed, what it is now. */
export async function find<R extends Named>(catalogue: Catalogue, ref: R, show: Show): Promise<Entities[R['kind']]> {
  const get = (at: Named) => catalogue.get<Named['kind']>(at) as Promise<Entities[R['kind']]>;
  return reach(catalogue, ref, async () => {
    try {
      return await get(ref);
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      show.message(`${formatRef(ref)} is called ${formatRef(error.to)} now.`);
      return get(error.to as Named);
    }
  });
}

/** The version that a reference names, under its own name where it is called `latest`. */
export async function findVersion(
  catalogue: Catalogue,
  ref: VersionRef,
  show: Show,
): Promise<{ readonly version: Version; readonly ref: VersionRef }> {
  const version = await find(catalogue, ref, show);
  return { version, ref: refOf(version) as VersionRef };
}

async function missing(catalogue: Catalogue, ref: Named): Promise<string> {
  switch (ref.kind) {
    case 'namespace':
      return missingNamespace(catalogue, ref.slug);
    case 'dataset':
      return missingDataset(catalogue, ref);
    case 'version':
      return missingVersion(catalogue, ref);
    default:
      return missingNamed(catalogue, ref);
  }
}

async function missingDataset(catalogue: Catalogue, ref: Refs['dataset']): Promise<string> {
  const datasets = await collect(catalogue, 'dataset', {});
  const within = datasets.filter(({ namespace }) => namespace === ref.namespace).map(({ slug }) => slug);
  const elsewhere = datasets.filter(({ namespace }) => namespace !== ref.namespace).map(formatRef);
  const near = closest(ref.slug, within);
  const meant = near === undefined ? closest(formatRef(ref), elsewhere) : `${ref.namespace}/${near}`;
  if (meant) return `There is no dataset ${formatRef(ref)}. Did you mean ${meant}?`;
  if (within.length) return `There is no dataset ${formatRef(ref)}. See: catalogue dataset list ${ref.namespace}`;
  const namespaces = await collect(catalogue, 'namespace', {});
  return namespaces.some(({ slug }) => slug === ref.namespace)
    ? `There is no dataset ${formatRef(ref)}. Add it with: catalogue dataset add ${formatRef(ref)} --label …`
    : missingNamespace(catalogue, ref.namespace);
}

async function missingVersion(catalogue: Catalogue, ref: VersionRef): Promise<string> {
  const home = datasetOf(ref);
  const dataset: Dataset | null = await catalogue.get<'dataset'>(home).catch((error) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (!dataset) return missingDataset(catalogue, home);
  const name = formatRef(home);
  if (dataset.versions.length === 0)
    return `${name} has no version yet. Add one with: catalogue version add ${name} FILE`;
  if (ref.slug === 'latest') return `No version of ${name} is ready. See: catalogue version list ${name}`;
  const slugs = dataset.versions.map(({ slug }) => slug);
  // Few type 20 digits: the first ones of them say more than the number of those that differ.
  const meant = slugs.find((slug) => slug.startsWith(ref.slug)) ?? closest(ref.slug, slugs);
  const hint = meant ? `Did you mean ${name}@${meant}?` : `See: catalogue version list ${name}`;
  return `There is no version ${formatRef(ref)}. ${hint}`;
}

async function missingNamed(catalogue: Catalogue, { kind, slug }: Refs['query' | 'group' | 'user']): Promise<string> {
  const others = await collect<typeof kind>(catalogue, kind, {});
  const meant = closest(
    slug,
    others.map((other) => other.slug),
  );
  return `There is no ${kind} ${slug}. ${meant ? `Did you mean ${meant}?` : `See: catalogue ${kind} list`}`;
}

async function missingNamespace(catalogue: Catalogue, slug: string): Promise<string> {
  const namespaces = await collect(catalogue, 'namespace', {});
  const meant = closest(
    slug,
    namespaces.map((namespace) => namespace.slug),
  );
  return (
    `There is no namespace ${slug}. ${meant ? `Did you mean ${meant}? ` : ''}` +
    `Add it with: catalogue namespace add ${slug} --label …`
  );
}
