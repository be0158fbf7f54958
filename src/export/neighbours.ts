/** The datasets that the page of another may name: a change of one of them is a change of that page. */
import { foldCaseAndAccents } from '../catalogue/fold.ts';
import type { Dataset } from '../catalogue/types.ts';
import { mostOthers } from '../server/dataset-page.ts';

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
