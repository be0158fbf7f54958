/** What a catalogue has of a namespace before an import: also under its present name, and what was moved out of it. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import type { Dataset, Namespace } from '../catalogue/types.ts';
import { originOf } from './merge.ts';

export interface PresentDatasets {
  /** By its present name, if it was renamed; null if there is none. */
  readonly namespace: Namespace | null;
  /** Imported datasets of the namespace. */
  readonly here: readonly Dataset[];
  /** Imported datasets that somebody moved into other namespaces. */
  readonly movedAway: readonly Dataset[];
  /** Names and former names in the namespace, in lower case. */
  readonly taken: Set<string>;
  /** Ids of all datasets of the catalogue. */
  readonly ids: Set<number>;
}

/** @param slug of the namespace, or a former one */
export async function readPresentDatasets(catalogue: Catalogue, slug: string): Promise<PresentDatasets> {
  const namespace = await findNamespace(catalogue, slug);
  const names = namespace ? [namespace.slug, ...namespace.aliases] : [slug];
  const here: Dataset[] = [];
  const movedAway: Dataset[] = [];
  const taken = new Set<string>();
  const ids = new Set<number>();
  for await (const dataset of listAll(catalogue, 'dataset')) {
    ids.add(dataset.id);
    const isHere = dataset.namespace === names[0];
    if (isHere) taken.add(dataset.slug.toLowerCase());
    const formerNames = dataset.aliases.flatMap((alias) => {
      // A slug alone is relative to the dataset's namespace.
      const [name = '', container = dataset.namespace] = alias.split('/').reverse();
      return names.includes(container) ? name : [];
    });
    for (const name of formerNames) taken.add(name.toLowerCase());
    if (originOf(dataset) === null) continue;
    if (isHere) here.push(dataset);
    else if (formerNames.length) movedAway.push(dataset);
  }
  return { namespace, here, movedAway, taken, ids };
}

async function findNamespace(catalogue: Catalogue, slug: string): Promise<Namespace | null> {
  try {
    return await catalogue.get<'namespace'>({ kind: 'namespace', slug });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    if (!(error instanceof MovedError) || error.to.kind !== 'namespace') throw error;
    return await catalogue.get<'namespace'>(error.to);
  }
}
