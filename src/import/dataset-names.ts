/** Names of imported datasets in their namespace: none takes that of another dataset, nor a former one, which leads to its dataset. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type DatasetRef, maxSlugLength } from '../catalogue/ref.ts';
import { slugify } from '../catalogue/slug.ts';
import type { Dataset } from '../catalogue/types.ts';
import type { ImportedDataset } from './imported.ts';
import { checksumOfValue, originOf } from './merge.ts';
import { findByFormerAddress, isSamePlace } from './present-datasets.ts';

interface Namespace {
  readonly namespace: string;
  /** True if the catalogue doesn't have it yet: then it has no former names. */
  readonly isNew: boolean;
  /** Names in it, in lower case. */
  readonly taken: Iterable<string>;
  /** That of the catalogue. */
  readonly language: string;
}

export class DatasetNames {
  readonly #catalogue: Catalogue;
  readonly #namespace: Namespace;
  /** In lower case; also the former names that were found out. */
  readonly #taken: Set<string>;
  /** Datasets to which names lead as former ones, of those that were asked for ahead. */
  readonly #asked = new Map<string, Promise<DatasetRef | null>>();

  constructor(catalogue: Catalogue, namespace: Namespace) {
    this.#catalogue = catalogue;
    this.#namespace = namespace;
    this.#taken = new Set(namespace.taken);
  }

  /** Asks whether the name that a new dataset will probably get is a former one, before `forNew` needs the answer. */
  expectNew(dataset: ImportedDataset): void {
    const slug = freeSlug(this.#wanted(dataset), this.#taken);
    if (this.#namespace.isNew || this.#asked.has(slug)) return;
    const asked = this.#findByFormerName(slug);
    // `forNew` gets the error.
    asked.catch(() => {});
    this.#asked.set(slug, asked);
  }

  /** The name of a new dataset. */
  async forNew(dataset: ImportedDataset): Promise<string> {
    const wanted = this.#wanted(dataset);
    for (;;) {
      const slug = freeSlug(wanted, this.#taken);
      this.#taken.add(slug.toLowerCase());
      const asked = this.#asked.get(slug);
      this.#asked.delete(slug);
      if (this.#namespace.isNew || !(await (asked ?? this.#findByFormerName(slug)))) return slug;
    }
  }

  #findByFormerName(slug: string): Promise<DatasetRef | null> {
    return findByFormerAddress(this.#catalogue, { namespace: this.#namespace.namespace, slug });
  }

  /** The new name of a dataset that has another one at the source now; undefined if it keeps its own. */
  async forRenamed(present: Dataset, dataset: ImportedDataset): Promise<string | undefined> {
    const { namespace, slug } = present;
    const given = originOf(present)?.imported.slug;
    if (!dataset.name || given !== slug || namespace !== this.#namespace.namespace) return undefined;
    const wanted = this.#wanted(dataset);
    // A number that `freeSlug` has added stays as long as the name without it is taken.
    if (wanted === slug || this.#taken.has(wanted.toLowerCase())) return undefined;
    const former = await findByFormerAddress(this.#catalogue, { namespace, slug: wanted });
    if (former && !isSamePlace(former, present)) return undefined;
    this.#taken.add(wanted.toLowerCase());
    return wanted;
  }

  /** The name that a dataset should have: that at the source, else one from its label. */
  #wanted({ name, label, id }: ImportedDataset): string {
    const { language } = this.#namespace;
    return (
      slugify(name.replace(/[./:]+/g, '-'), language) || slugify(label, language) || `dataset-${checksumOfValue(id)}`
    );
  }
}

/** A slug that is not taken: the wanted one, or with a number. @param taken in lower case */
function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? '' : `-${n}`;
    const slug = wanted.slice(0, maxSlugLength - end.length).replace(/[-_]+$/, '') + end;
    if (!taken.has(slug.toLowerCase())) return slug;
  }
}
