/** The records that the files of a unit are made of: a change of one of them is a change of the files. */
import { createHash } from 'node:crypto';
import { foldCaseAndAccents } from '../catalogue/fold.ts';
import type { Dataset } from '../catalogue/types.ts';
import { mostOthers } from '../server/dataset-page.ts';

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
