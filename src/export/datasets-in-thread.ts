/** Datasets of an export that a thread writes, beside the main thread. */
import { moduleBeside } from '../data/module-beside.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import type { ThreadResult, ThreadSite, ThreadUnit } from './datasets-thread.ts';

type Tasks = typeof import('./datasets-thread.ts');

const tasks = moduleBeside(import.meta.url, './datasets-thread');

/** Number of datasets from which a thread is started: to read the catalogue takes as long as to write some. */
export const leastForThread = 200;
/** Datasets in a message, and messages that wait in the thread, so that it is never idle. */
const batchSize = 4;
const mostWaiting = 2;

export class DatasetsInThread {
  readonly #pool = new WorkerPool({ size: 1 });
  readonly #site: ThreadSite;

  constructor(site: ThreadSite) {
    this.#site = site;
  }

  /**
   * Writes datasets for as long as there are some.
   * @param take gives the next ones, and none at the end
   * @param filesBefore files that the last export wrote for a unit
   * @param onWritten called with the result of each message, and the datasets that it named
   */
  async run<T extends Omit<ThreadUnit, 'filesBefore'>>(
    take: (count: number) => readonly T[],
    filesBefore: (name: string) => readonly string[],
    onWritten: (result: ThreadResult, asked: readonly T[]) => void,
  ): Promise<void> {
    const lane = async () => {
      for (let asked = take(batchSize); asked.length > 0; asked = take(batchSize)) {
        const result = await this.#write(
          asked.map(({ name, fingerprint }) => ({ name, fingerprint, filesBefore: filesBefore(name) })),
        );
        onWritten(result, asked);
        // What the thread could not do, it can't do the next time.
        if (result.units.length < asked.length) return;
      }
    };
    await Promise.all(Array.from({ length: mostWaiting }, lane));
  }

  /** A thread that dies has written nothing. */
  async #write(units: readonly ThreadUnit[]): Promise<ThreadResult> {
    const nothing: ThreadResult = { units: [], written: 0, largeFiles: [] };
    return this.#pool.run<Tasks, 'writeDatasets'>(tasks, 'writeDatasets', [this.#site, units]).catch(() => nothing);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
