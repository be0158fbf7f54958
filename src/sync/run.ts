/** How far steps have come, and what became of them. */
import { ConflictError, NotFoundError, NotPermittedError, StaleError, ValidationError } from '../catalogue/errors.ts';
import { fileAt, homesOf } from './paths.ts';
import type { Step } from './plan.ts';

export interface Progress {
  /** Records and files that are done with. */
  readonly done: number;
  readonly of: number;
  /** That have travelled, of payloads in the making too. */
  readonly bytes: number;
  readonly ofBytes: number;
}

export interface Failure {
  readonly path: string;
  readonly error: Error;
}

/** What became of the steps. */
export interface Outcome {
  readonly done: readonly Step[];
  readonly failures: readonly Failure[];
  /** What couldn't be done because something failed that it needs. */
  readonly skipped: readonly Step[];
}

const refusals = [ConflictError, NotFoundError, NotPermittedError, StaleError, ValidationError];

/** Whether an error is about one thing alone: the others may do. */
export const isRefusal = (error: unknown): error is Error => refusals.some((kind) => error instanceof kind);

/** How many bytes travel for a step. */
export const sizeOf = (step: Step): number => ('now' in step ? step.now.size : 0);

export class Run implements Outcome {
  readonly done: Step[] = [];
  readonly failures: Failure[] = [];
  readonly skipped: Step[] = [];
  readonly #of: number;
  readonly #ofBytes: number;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  readonly #underWay = new Map<Step, number>();
  #bytes = 0;
  /** Folders that aren't there, because what would have made them failed. */
  readonly #missing = new Set<string>();
  /** Folders of datasets of which a payload isn't there. */
  readonly #lacking = new Set<string>();

  constructor(steps: readonly Step[], onProgress?: (progress: Progress) => void) {
    this.#of = steps.length;
    this.#ofBytes = steps.reduce((sum, step) => sum + sizeOf(step), 0);
    this.#onProgress = onProgress;
  }

  did(step: Step): void {
    this.done.push(step);
    this.#underWay.delete(step);
    this.#bytes += sizeOf(step);
    this.#report();
  }

  failed(step: Step, error: Error): void {
    this.failures.push({ path: step.path, error });
    this.#underWay.delete(step);
    const [home] = homesOf(step.do === 'move' ? step.to : step.path);
    const { kind } = fileAt(step.path);
    if (home === undefined) return;
    if (step.do === 'put') this.#lacking.add(home);
    else if ((kind === 'dataset' || kind === 'namespace') && (step.do === 'move' || step.ifMatch === null))
      this.#missing.add(home);
    this.#report();
  }

  get hasRenamedGroups(): boolean {
    return this.done.some((step) => step.do === 'move' && fileAt(step.path).kind === 'group');
  }

  /** How much of a payload has been sent. */
  sent(step: Step, bytes: number): void {
    this.#underWay.set(step, bytes);
    this.#report();
  }

  /** Whether something failed that the step needs. */
  skips(step: Step): boolean {
    const [home = '', ...outer] = homesOf(step.path);
    const isHopeless =
      [home, ...outer].some((folder) => this.#missing.has(folder)) ||
      (this.#lacking.has(home) && fileAt(step.path).kind === 'version' && step.do === 'write');
    if (isHopeless) this.skipped.push(step);
    return isHopeless;
  }

  #report(): void {
    let bytes = this.#bytes;
    for (const sent of this.#underWay.values()) bytes += sent;
    const done = this.done.length + this.failures.length + this.skipped.length;
    this.#onProgress?.({ done, of: this.#of, bytes, ofBytes: this.#ofBytes });
  }
}
