/** The records that the files of a unit are made of: a change of one of them is a change of the files. */
import { createHash } from 'node:crypto';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { foldCaseAndAccents } from '../catalogue/fold.ts';
import { listAll } from '../catalogue/iterate.ts';
import { parseDatasetRef } from '../catalogue/parse-ref.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset, Entities, Group, Namespace, Query, Settings } from '../catalogue/types.ts';
import { mostOthers } from '../server/dataset-page.ts';

/** The records of a site, as everybody sees them. */
export interface PublicRecords {
  readonly datasets: readonly Dataset[];
  readonly namespaces: readonly Namespace[];
  readonly queries: readonly Query[];
  readonly groups: readonly Group[];
}

/** All records of a viewer's catalogue, in the catalogue's order. */
export async function readRecords(catalogue: Catalogue): Promise<PublicRecords> {
  const all = async <K extends 'dataset' | 'namespace' | 'query' | 'group'>(kind: K) => {
    const found: Entities[K][] = [];
    for await (const entity of listAll(catalogue, kind)) found.push(entity);
    return found;
  };
  const [datasets, namespaces] = [await all('dataset'), await all('namespace')];
  return { datasets, namespaces, queries: await all('query'), groups: await all('group') };
}

/** Datasets by the names that they have, and by former ones that saved queries have for them. */
export async function datasetsByName(
  catalogue: Catalogue,
  { datasets, queries }: PublicRecords,
): Promise<ReadonlyMap<string, Dataset>> {
  const byName = new Map(datasets.map((dataset) => [formatRef(refOf(dataset)), dataset]));
  for (const { dataset: name } of queries) {
    if (byName.has(name)) continue;
    const dataset = byName.get(await nameAfterMove(catalogue, name));
    if (dataset) byName.set(name, dataset);
  }
  return byName;
}

/** The present name of a dataset that was moved; '' if there is no dataset. */
export async function nameAfterMove(catalogue: Catalogue, name: string): Promise<string> {
  try {
    return formatRef(refOf(await catalogue.get<'dataset'>(parseDatasetRef(name))));
  } catch (error) {
    if (error instanceof MovedError) return formatRef(error.to);
    if (error instanceof NotFoundError) return '';
    throw error;
  }
}

/** Fingerprints of records, each computed once, and of what is made of them. */
export class Fingerprints {
  readonly #common: string;
  readonly #known = new WeakMap<object, string>();

  /** @param common what all files depend on */
  constructor(common: unknown) {
    this.#common = JSON.stringify(common);
  }

  of(record: object): string {
    const known = this.#known.get(record) ?? digest(JSON.stringify(record));
    this.#known.set(record, known);
    return known;
  }

  ofAll(records: Iterable<object>): string {
    return digest([...records].map((record) => this.of(record)).join());
  }

  /** Of all records of a site, and its settings. Nothing else of the export decides about it. */
  ofSite(settings: Settings, { datasets, namespaces, queries, groups }: PublicRecords): string {
    return digest(
      [JSON.stringify(settings), ...[datasets, namespaces, queries, groups].map((all) => this.ofAll(all))].join(),
    );
  }

  /** @param parts fingerprints, and values of JSON */
  ofUnit(...parts: readonly unknown[]): string {
    return digest(this.#common + JSON.stringify(parts));
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Records in groups, in their order. */
export function groupRecords<T>(records: Iterable<T>, keyOf: (record: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const group = groups.get(keyOf(record));
    if (group) group.push(record);
    else groups.set(keyOf(record), [record]);
  }
  return groups;
}

/** The datasets that the page of another may name. */
export class Neighbours {
  /** The first datasets of each namespace, and with each keyword, in the catalogue's order. */
  readonly #first = new Map<string, Dataset[]>();

  constructor(datasets: Iterable<Dataset>) {
    for (const dataset of datasets)
      for (const key of keysOf(dataset)) {
        const first = this.#first.get(key) ?? [];
        if (first.length <= mostOthers) first.push(dataset);
        this.#first.set(key, first);
      }
  }

  /** All that the page of a dataset may show of others; usually more of them than it does. */
  near(dataset: Dataset): readonly unknown[] {
    const near = new Set(keysOf(dataset).flatMap((key) => this.#first.get(key) ?? []));
    near.delete(dataset);
    return [...near].map(({ namespace, slug, label, description, keywords }) => {
      return [namespace, slug, label, description, keywords];
    });
  }
}

const keysOf = ({ namespace, keywords }: Dataset): readonly string[] => [
  `namespace ${namespace}`,
  ...keywords.map((keyword) => `keyword ${foldCaseAndAccents(keyword)}`),
];
