/**
 * Polls the datasets that are not watched: compares the stamps of their files again and again, each within some four
 * seconds. It reads no record: a dataset that changed is reported, and read with the other changes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import { makeRegularPause, runStepsInSlices } from '../reading/event-loop.ts';
import { haveUnchangedFilesInSteps } from '../reading/unchanged-files.ts';
import { unitOfReading } from '../reading/unit-reading.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { latestChange } from '../tree/stamps.ts';
import { isGitAtWork } from './git-lock.ts';

export interface UnwatchedPollerOptions {
  /** @param key of a unit */
  readonly isWatched: (key: string) => boolean;
  /** Called with each unit whose files changed. */
  readonly onChange: (unit: Unit) => void;
}

/** Milliseconds for one round through many datasets, and the least, for few. */
const longestRound = 4000;
const shortestRound = 2000;
/** Milliseconds of work between two pauses, and of the longest pause. */
const slice = 2;
const longestPause = 50;

export class UnwatchedPoller {
  readonly #store: UnitStore;
  readonly #options: UnwatchedPollerOptions;
  #stopping: AbortController | undefined;

  constructor(store: UnitStore, options: UnwatchedPollerOptions) {
    this.#store = store;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#stopping !== undefined;
  }

  start(): void {
    if (this.#stopping) return;
    this.#stopping = new AbortController();
    void this.#run(this.#stopping.signal).catch(() => {});
  }

  stop(): void {
    this.#stopping?.abort();
    this.#stopping = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    /** Milliseconds of work in the last round; an estimate for the first. */
    let work = this.#store.states.size * 0.02;
    while (!signal.aborted) {
      const start = performance.now();
      // At most half of the time, even if a round then takes longer.
      const pause = Math.min(longestPause, Math.max(slice, slice * (longestRound / work - 1)));
      work = await this.#runRound(pause, signal);
      await sleep(Math.max(0, start + shortestRound - performance.now()), undefined, { signal, ref: false });
    }
  }

  /** @returns the milliseconds of work */
  async #runRound(pause: number, signal: AbortSignal): Promise<number> {
    let work = 0;
    let sliceStart = performance.now();
    for (const [key, state] of this.#store.states) {
      if (state.reading.kind !== 'dataset' || this.#options.isWatched(key)) continue;
      // What git changes is found in a later round.
      const { tree } = this.#store;
      const isUnchanged = await runStepsInSlices(haveUnchangedFilesInSteps(tree, state));
      if (!isUnchanged && !isGitAtWork(tree.root)) this.#options.onChange(unitOfReading(state.reading));
      const spent = performance.now() - sliceStart;
      if (spent < slice) continue;
      work += spent;
      await sleep(pause, undefined, { signal, ref: false });
      sliceStart = performance.now();
    }
    return work + performance.now() - sliceStart;
  }
}

/** Sorts units in place: the one whose files changed last comes first. */
export async function sortByLastChange(store: UnitStore, units: Unit[]): Promise<void> {
  const times = new Map<Unit, number>();
  const pause = makeRegularPause();
  for (const unit of units) {
    times.set(unit, latestChange(store.states.get(unitKey(unit))?.stamps ?? ''));
    await pause();
  }
  units.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}
