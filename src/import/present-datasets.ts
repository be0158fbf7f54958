/** What a catalogue has of a namespace before an import: also under its present name, and what was moved out of it. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import type { DatasetRef } from '../catalogue/ref.ts';
import type { Dataset, Namespace } from '../catalogue/types.ts';
import { type Origin, originOf } from './merge.ts';

export interface PresentDatasets {
  /** By its present name, if it was renamed; null if the catalogue does not have it. */
  readonly namespace: Namespace | null;
  /** Imported datasets of the namespace. */
  readonly here: readonly Dataset[];
  /** Datasets of the source that somebody has moved into other namespaces, unless the namespace has them again. */
  readonly movedAway: readonly Dataset[];
  /** Names in the namespace, in lower case. */
  readonly taken: Set<string>;
  /** Ids of all datasets of the catalogue. */
  readonly ids: Set<number>;
}

/**
 * @param slug of the namespace, or a former one
 * @param from address of the source
 */
export async function readPresentDatasets(catalogue: Catalogue, slug: string, from: string): Promise<PresentDatasets> {
  const namespace = await findNamespace(catalogue, slug);
  const here: Dataset[] = [];
  const elsewhere: Dataset[] = [];
  const taken = new Set<string>();
  const ids = new Set<number>();
  for await (const dataset of listAll(catalogue, 'dataset')) {
    ids.add(dataset.id);
    const origin = originOf(dataset);
    if (dataset.namespace === (namespace?.slug ?? slug)) {
      taken.add(dataset.slug.toLowerCase());
      if (origin) here.push(dataset);
    } else if (origin?.from === from) elsewhere.push(dataset);
  }
  const hereById = new Set(here.map((dataset) => originKey(originOf(dataset) as Origin)));
  const movedAway: Dataset[] = [];
  for (const dataset of elsewhere) {
    const origin = originOf(dataset) as Origin;
    const given = origin.imported.slug;
    if (given === undefined || hereById.has(originKey(origin))) continue;
    const former = await findByFormerAddress(catalogue, { namespace: slug, slug: given });
    if (former && isSamePlace(former, dataset)) movedAway.push(dataset);
  }
  return { namespace, here, movedAway, taken, ids };
}

/** Key of a dataset by its source and its identifier there. */
export const originKey = ({ from, id }: Pick<Origin, 'from' | 'id'>): string => `${from}\n${id}`;

async function findNamespace(catalogue: Catalogue, slug: string): Promise<Namespace | null> {
  try {
    return await catalogue.get<'namespace'>({ kind: 'namespace', slug });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    if (!(error instanceof MovedError) || error.to.kind !== 'namespace') throw error;
    return await catalogue.get<'namespace'>(error.to);
  }
}

type Place = Pick<Dataset, 'namespace' | 'slug'>;

export const isSamePlace = (one: Place, other: Place): boolean =>
  one.namespace === other.namespace && one.slug === other.slug;

/** The dataset to which a former address leads; null for any other address. Servers don't list former names, but redirect. */
export async function findByFormerAddress(
  catalogue: Catalogue,
  { namespace, slug }: Place,
): Promise<DatasetRef | null> {
  try {
    await catalogue.get<'dataset'>({ kind: 'dataset', namespace, slug });
    return null;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    if (!(error instanceof MovedError)) throw error;
    return error.to.kind === 'dataset' ? error.to : null;
  }
}
