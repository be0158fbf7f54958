/** Figures of the differences between versions, for pages that name many of them. */
import { LRUCache } from 'lru-cache';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Difference, DifferenceFigures } from '../catalogue/difference.ts';
import { UnavailableError } from '../catalogue/errors.ts';
import { refOf, type VersionRef } from '../catalogue/ref.ts';
import type { Dataset } from '../catalogue/types.ts';
import type { VersionChange } from '../pages/dataset-versions.tsx';

/** Versions up to which rows are compared without being asked for: both together, in bytes and in rows. */
const mostBytes = 20_000_000;
const mostRows = 200_000;
/** Comparisons that wait, at most. */
const mostWaiting = 100;
/** Attempts to compare rows that aren't ready. */
const mostAttempts = 3;

/** Two versions to compare, and the dataset of the second: its former names of columns say which of them were renamed. */
export interface Pair extends Pick<Difference, 'from' | 'to'> {
  readonly dataset: Pick<Dataset, 'former_names'>;
}

/**
 * Keeps figures by the contents of both payloads and the former names of columns, so that they are right whatever else
 * happens to the records. Small versions are compared in the background, one pair after the other.
 */
export class DifferenceFigureStore {
  readonly #figures = new LRUCache<string, DifferenceFigures | 'none'>({ max: 5000 });
  readonly #waiting = new Map<string, Promise<void>>();
  /** Comparisons that were in vain, because rows weren't ready. */
  readonly #attempts = new LRUCache<string, number>({ max: 1000 });
  #last: Promise<void> = Promise.resolve();

  /** Keeps the figures of the difference between two versions by the key that fits best. */
  keep(pair: Pair, { counts, columns, renames }: DifferenceFigures): void {
    this.#figures.set(idOf(pair), { counts, columns, ...(renames && { renames }) });
  }

  /** The figures; of small versions that aren't compared yet, they will be known later. */
  request(catalogue: Catalogue, pair: Pair): VersionChange {
    const id = idOf(pair);
    const known = this.#figures.get(id);
    if (known) return known;
    const { from, to } = pair;
    if (from.rows === null || to.rows === null || !from.checksum || !to.checksum) return 'none';
    const bytes = (from.size ?? Number.POSITIVE_INFINITY) + (to.size ?? Number.POSITIVE_INFINITY);
    if (bytes > mostBytes || from.rows + to.rows > mostRows) return 'large';
    if (!this.#waiting.has(id) && this.#waiting.size < mostWaiting) {
      const job = this.#last.then(() => this.#compare(catalogue, pair, id));
      this.#last = job;
      this.#waiting.set(id, job);
    }
    return 'comparing';
  }

  /** Waits until no comparison is left, or for a time. @param patience in milliseconds */
  async settle(patience: number): Promise<void> {
    if (patience === Number.POSITIVE_INFINITY) while (this.#waiting.size > 0) await this.#last;
    if (this.#waiting.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([this.#last, late]);
    clearTimeout(timer);
  }

  async #compare(catalogue: Catalogue, pair: Pair, id: string): Promise<void> {
    try {
      const [before, after] = [refOf(pair.from), refOf(pair.to)] as [VersionRef, VersionRef];
      this.keep(pair, await catalogue.difference(before, after));
    } catch (error) {
      // Rows that aren't ready are tried again with the next request, but not for ever.
      const attempts = (this.#attempts.get(id) ?? 0) + 1;
      this.#attempts.set(id, attempts);
      if (!(error instanceof UnavailableError) || attempts >= mostAttempts) this.#figures.set(id, 'none');
    } finally {
      this.#waiting.delete(id);
    }
  }
}

const idOf = ({ from, to, dataset }: Pair): string =>
  JSON.stringify([from.checksum, from.reading, to.checksum, to.reading, from.format, to.format, dataset.former_names]);
