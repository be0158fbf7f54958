/** Writing of imported datasets into a namespace, each once: records of new datasets in batches, changes as edits. */

import type { Catalogue } from '../catalogue/catalogue.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { randomUnusedId } from '../catalogue/ids.ts';
import { recordPathWithoutExtension } from '../catalogue/layout.ts';
import { type DatasetRef, formatRef } from '../catalogue/ref.ts';
import type { RecordChange } from '../catalogue/replica.ts';
import type { Dataset } from '../catalogue/types.ts';
import { newRecordText } from '../text/document.ts';
import { type BrokenRecord, findBrokenRecords, hasId } from './broken-records.ts';
import { DatasetNames } from './dataset-names.ts';
import { type ImportedDataset, reasonOf, type Skipped } from './imported.ts';
import {
  type ImportedField,
  isGloballyUnique,
  mergeWithRecord,
  type Origin,
  originOf,
  sentencesAboutRest,
  valuesOfNewRecord,
} from './merge.ts';
import { originKey, type PresentDatasets, readPresentDatasets } from './present-datasets.ts';
import { batchSize, editedRecord, recordKeys } from './record-edits.ts';

export interface Target {
  readonly namespace: string;
  /** Label of the namespace if it is new. */
  readonly label: string;
  /** Address of the source. */
  readonly from: string;
  readonly dryRun: boolean;
}

/** A dataset that an import has written, or would write. */
export interface Written {
  readonly ref: DatasetRef;
  readonly label: string;
  /** Names of the changed fields; empty for a new dataset. */
  readonly fields: readonly string[];
}

/** A dataset that was written, or planned. */
export interface Added {
  readonly ref: DatasetRef;
  /**
   * The dataset as which its file is read and published: in a dry run, the one with the present name; null if a dry run has none, since
   * the dataset is new or gets other options for reading the file.
   */
  readonly readAs: DatasetRef | null;
}

/** A dataset with fields that people wrote by hand, and whose values at the source are different. */
export interface KeptByHand {
  readonly ref: DatasetRef;
  readonly fields: readonly ImportedField[];
}

/** Outcome of the writing so far. */
export interface WrittenSoFar {
  readonly created: Written[];
  readonly updated: Written[];
  unchanged: number;
  readonly kept: KeptByHand[];
  readonly skipped: Skipped[];
  /** Datasets that were taken without some of what the source says of them, and what is missing. */
  readonly shortened: Skipped[];
}

/** A record that waits to be written together with others. */
interface Waiting {
  readonly change: RecordChange;
  readonly written: Written;
  /** List that gets it once it is written; null if only its checksums change. */
  readonly list: Written[] | null;
  readonly id: string;
}

/** Writes the datasets of a source into a namespace. */
export class DatasetWriter {
  readonly #catalogue: Catalogue;
  readonly #target: Target;
  readonly #names: DatasetNames;
  /**
   * Imported datasets of the namespace, and those that were moved out of it: by source and identifier, and by identifiers that
   * are unique everywhere.
   */
  readonly #known = new Map<string, Dataset>();
  readonly #ids: Set<number>;
  /** Identifiers that this run has seen. */
  readonly #seen = new Set<string>();
  /** Datasets of this source by their identifiers there, without those whose records the reader has refused. */
  readonly #fromHere = new Map<string, DatasetRef>();
  readonly #broken: readonly BrokenRecord[];
  /** Names of datasets whose records were refused. */
  readonly #refused = new Set<string>();
  #batch: Waiting[] = [];
  /** True until the namespace is made. */
  #isNew: boolean;
  readonly outcome: WrittenSoFar = { created: [], updated: [], unchanged: 0, kept: [], skipped: [], shortened: [] };

  private constructor(
    catalogue: Catalogue,
    target: Target,
    names: DatasetNames,
    { namespace, here, movedAway, ids }: PresentDatasets,
    broken: readonly BrokenRecord[],
  ) {
    this.#catalogue = catalogue;
    this.#target = target;
    this.#names = names;
    this.#ids = ids;
    this.#isNew = namespace === null;
    this.#broken = broken;
    for (const dataset of [...movedAway, ...here]) {
      const { namespace, slug } = dataset;
      const { from, id } = originOf(dataset) as Origin;
      this.#known.set(originKey({ from, id }), dataset);
      if (isGloballyUnique(id)) this.#known.set(id, dataset);
      if (from === target.from) this.#fromHere.set(id, { kind: 'dataset', namespace, slug });
    }
  }

  /** Reads what the namespace has. If there is none, it is made before the first record is written. */
  static async open(catalogue: Catalogue, target: Target): Promise<DatasetWriter> {
    const present = await readPresentDatasets(catalogue, target.namespace, target.from);
    const isNew = present.namespace === null;
    const namespace = present.namespace?.slug ?? target.namespace;
    const broken = isNew ? [] : await findBrokenRecords(catalogue, namespace);
    const taken = [...present.taken, ...broken.map(({ slug }) => slug.toLowerCase())];
    const language = await catalogue.language();
    const names = new DatasetNames(catalogue, { namespace, isNew, taken, language });
    return new DatasetWriter(catalogue, { ...target, namespace }, names, present, broken);
  }

  /** Name of the namespace that gets the datasets: the present one, if the target's was renamed. */
  get namespace(): string {
    return this.#target.namespace;
  }

  /** Reason not to add a dataset as a new one: a record that can't be read seems to be its own; undefined if there is no such record. */
  #reasonAgainstNew({ id }: ImportedDataset): string | undefined {
    const own = this.#broken.find((record) => hasId(record, id));
    return own && `its record ${own.path} can't be read. Fix it, and import again: ${own.problem}`;
  }

  /** Announces a dataset that `add` will get soon, so that requests to a remote about it are sent ahead. */
  expect(dataset: ImportedDataset): void {
    if (!this.#presentOf(dataset.id)) this.#names.expectNew(dataset);
  }

  #presentOf(id: string): Dataset | undefined {
    return this.#known.get(originKey({ from: this.#target.from, id })) ?? this.#known.get(id);
  }

  /** @returns the dataset, once it is written or planned; null if it was refused */
  async add(dataset: ImportedDataset): Promise<Added | null> {
    const { from, namespace, dryRun } = this.#target;
    if (this.#seen.has(dataset.id)) return this.#skip(dataset.id, 'the source has another record with this identifier');
    this.#seen.add(dataset.id);
    const without = sentencesAboutRest(dataset).map((reason) => ({ id: dataset.id, reason }));
    this.outcome.shortened.push(...without);
    const present = this.#presentOf(dataset.id);
    if (present) {
      this.#forget(present);
      return this.#update(present, dataset);
    }
    const reason = this.#reasonAgainstNew(dataset);
    if (reason !== undefined) return this.#skip(dataset.id, reason);
    const slug = await this.#names.forNew(dataset);
    const ref: DatasetRef = { kind: 'dataset', namespace, slug };
    const id = randomUnusedId((candidate) => this.#ids.has(candidate));
    this.#ids.add(id);
    try {
      const values = { id, ...valuesOfNewRecord(dataset, from, slug) };
      const text = newRecordText(values, recordKeys);
      const path = `${recordPathWithoutExtension(ref)}.yaml`;
      this.#batch.push({
        change: { do: 'write', path, text, ifMatch: null },
        written: { ref, label: dataset.label, fields: [] },
        list: this.outcome.created,
        id: dataset.id,
      });
    } catch (error) {
      return this.#skip(dataset.id, reasonOf(error));
    }
    if (this.#batch.length >= batchSize) await this.flush();
    return { ref, readAs: dryRun ? null : ref };
  }

  /** Drops a dataset that was found: its former record is not needed any more, and 10,000 of them take much memory. */
  #forget(dataset: Dataset): void {
    const { from, id } = originOf(dataset) as Origin;
    this.#known.delete(originKey({ from, id }));
    this.#known.delete(id);
  }

  /** Writes the records that are still waiting. A dry run has them checked. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    const { dryRun } = this.#target;
    const changes = batch.map(({ change }) => change);
    // Datasets that were moved out of the namespace don't need the namespace.
    if (this.#isNew && changes.some((change) => change.do === 'write' && change.ifMatch === null))
      await this.#makeNamespace();
    // Records of a namespace that a dry run has not made can't be checked.
    const isChecked = changes.length > 0 && !(dryRun && this.#isNew);
    const outcomes = new Map(
      (isChecked ? await this.#catalogue.replica.apply(changes, { dryRun }) : []).map((one) => [one.path, one]),
    );
    for (const { change, written, list, id } of batch) {
      const outcome = outcomes.get(change.path);
      if (outcome && !outcome.done) {
        this.#refused.add(formatRef(written.ref));
        this.#skip(id, reasonOf(outcome.error));
      } else if (list) list.push(written);
      else this.outcome.unchanged++;
    }
  }

  /** Makes the namespace, unless another import has made it meanwhile. A dry run finds out if the user may. */
  async #makeNamespace(): Promise<void> {
    const { namespace, label, dryRun } = this.#target;
    try {
      await this.#catalogue.create('namespace', { slug: namespace, label }, { dryRun });
    } catch (error) {
      const isThere = () => this.#catalogue.get<'namespace'>({ kind: 'namespace', slug: namespace }).then(Boolean);
      if (!(error instanceof ValidationError) || !(await isThere().catch(() => false))) throw error;
    }
    if (!dryRun) this.#isNew = false;
  }

  async #update(present: Dataset, dataset: ImportedDataset): Promise<Added | null> {
    const { from, dryRun } = this.#target;
    const { namespace, slug } = present;
    const former: DatasetRef = { kind: 'dataset', namespace, slug };
    const renamed = await this.#names.forRenamed(present, dataset);
    const ref = renamed ? { ...former, slug: renamed } : former;
    const { changes, keptFields } = mergeWithRecord(present, dataset, from);
    if (keptFields.length) this.outcome.kept.push({ ref, fields: keptFields });
    if (!changes && !renamed) {
      this.outcome.unchanged++;
      return { ref, readAs: ref };
    }
    const fields = [...Object.keys(changes ?? {}).filter((field) => field !== 'source'), ...(renamed ? ['slug'] : [])];
    const isNews = fields.length > 0 || originOf(present)?.from !== from;
    try {
      if (renamed && !dryRun) await this.#catalogue.edit<'dataset'>(former, { slug: renamed });
      const source = (changes?.source ?? present.source) as { readonly imported?: object };
      const values = {
        ...changes,
        source: { ...source, imported: { ...source.imported, ...(renamed && { slug: renamed }) } },
      };
      const change = await editedRecord(this.#catalogue, dryRun ? former : ref, values);
      this.#batch.push({
        change,
        written: { ref, label: dataset.label, fields },
        list: isNews ? this.outcome.updated : null,
        id: dataset.id,
      });
    } catch (error) {
      return this.#skip(dataset.id, `${formatRef(former)}: ${reasonOf(error)}`);
    }
    if (this.#batch.length >= batchSize) await this.flush();
    if (!dryRun) return { ref, readAs: ref };
    return { ref, readAs: fields.includes('reading') ? null : former };
  }

  /** Lists a record that the reader of the source refused. @param id its identifier, if it has one: its dataset isn't missing */
  refuse(skipped: Skipped, id: string | undefined): void {
    this.outcome.skipped.push(skipped);
    if (id !== undefined) this.#fromHere.delete(id);
  }

  /** True for a dataset whose record was refused when it was written. */
  isRefused(ref: DatasetRef): boolean {
    return this.#refused.has(formatRef(ref));
  }

  /** Datasets of this source that this run has not seen. */
  missing(): readonly DatasetRef[] {
    return [...this.#fromHere].flatMap(([id, ref]) => (this.#seen.has(id) ? [] : ref));
  }

  #skip(id: string, reason: string): null {
    this.outcome.skipped.push({ id, reason });
    return null;
  }
}
