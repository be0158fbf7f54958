/** Names that lead somewhere, or what to type instead. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { closest } from '../catalogue/closest.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { type DatasetRef, formatRef, type NamespaceRef } from '../catalogue/ref.ts';
import type { Entities } from '../catalogue/types.ts';
import { collect } from './collect.ts';
import type { Show } from './show.ts';

type Named = NamespaceRef | DatasetRef;

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

async function missing(catalogue: Catalogue, ref: Named): Promise<string> {
  if (ref.kind === 'namespace') return missingNamespace(catalogue, ref.slug);
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
