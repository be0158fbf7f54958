/** Progress and outcome of a transfer. */
import {
  ConflictError,
  DamagedObjectError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  ValidationError,
} from '../catalogue/errors.ts';
import { enclosingContainerFolders, kindAndRefOfPath } from '../catalogue/layout.ts';
import { syncFileKind } from './files.ts';
import { foldersOfStep, type SyncStep, shownFolders, transferSize } from './steps.ts';
import { groupRenamedBy, type RenamedGroup } from './target-changes.ts';

export interface Progress {
  /** Steps that are finished, whatever their outcome. */
  readonly done: number;
  readonly of: number;
  /** Bytes transferred, including those of payloads in progress. */
  readonly bytes: number;
  readonly ofBytes: number;
}

export interface Failure {
  readonly path: string;
  readonly error: Error;
}

export interface TransferOutcome {
  readonly done: readonly SyncStep[];
  readonly failures: readonly Failure[];
  /** Steps that were not tried, because a step that they depend on failed. */
  readonly skipped: readonly SyncStep[];
}

const refusals = [ConflictError, DamagedObjectError, NotFoundError, NotPermittedError, StaleError, ValidationError];

/** True for an error that concerns one file only, so that the other steps can go on. */
export const concernsOneFileOnly = (error: unknown): error is Error => refusals.some((kind) => error instanceof kind);

/** Null for such an error. @throws any other one */
export function nullIfRefused(error: unknown): null {
  if (concernsOneFileOnly(error)) return null;
  throw error;
}

function querySlug(path: string): string | null {
  const { ref } = kindAndRefOfPath(path);
  return ref?.kind === 'query' ? ref.slug : null;
}

export class TransferRun implements TransferOutcome {
  readonly done: SyncStep[] = [];
  skipped: SyncStep[] = [];
  readonly #failed = new Map<SyncStep, Error>();
  /** Groups that the run has renamed. */
  readonly renamedGroups: RenamedGroup[] = [];
  /** Slugs of the queries that have got the new names of their datasets with moves. */
  readonly #queriesOfMoves = new Set<string>();
  readonly #of: number;
  readonly #ofBytes: number;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  /** Bytes sent so far of the steps in progress. */
  readonly #inProgress = new Map<SyncStep, number>();
  #bytes = 0;
  /** Folders that don't exist, or are visible to too many people, because the step that would have changed that failed. */
  readonly #missingFolders = new Set<string>();
  /** Folders of the datasets that lack a payload. */
  readonly #incompleteDatasets = new Set<string>();

  constructor(steps: readonly SyncStep[], onProgress?: (progress: Progress) => void) {
    this.#of = steps.length;
    this.#ofBytes = steps.reduce((sum, step) => sum + transferSize(step), 0);
    this.#onProgress = onProgress;
  }

  /** In the order of their paths: steps at the same time end in any order. */
  get failures(): readonly Failure[] {
    return [...this.#failed]
      .map(([{ path }, error]) => ({ path, error }))
      .sort((a, b) => Number(a.path > b.path) - Number(a.path < b.path));
  }

  markDone(step: SyncStep): void {
    this.done.push(step);
    const group = step.do === 'move' ? groupRenamedBy(step) : null;
    if (group) this.renamedGroups.push(group);
    if (step.do === 'move') {
      for (const slug of step.queries ?? []) this.#queriesOfMoves.add(slug);
      if (this.isQueryOfMove(step.path)) this.#queriesOfMoves.add(querySlug(step.to) ?? '');
    }
    this.#inProgress.delete(step);
    this.#bytes += transferSize(step);
    this.#report();
  }

  /** True for a query that has got the new name of its dataset with a move. @param path on the side that is changed */
  isQueryOfMove(path: string): boolean {
    return this.#queriesOfMoves.has(querySlug(path) ?? '');
  }

  markFailed(step: SyncStep, error: Error): void {
    this.#failed.set(step, error);
    this.#inProgress.delete(step);
    this.#noteWhatIsMissing(step);
    this.#report();
  }

  #noteWhatIsMissing(step: SyncStep): void {
    const [folder] = enclosingContainerFolders(step.do === 'move' ? step.to : step.path);
    const kind = syncFileKind(step.path);
    if (folder === undefined) return;
    if (step.do === 'put') this.#incompleteDatasets.add(folder);
    else if ((kind === 'dataset' || kind === 'namespace') && (step.do === 'move' || step.ifMatch === null))
      this.#missingFolders.add(folder);
    // What is added in it would be visible to those from whom this change hides it.
    else if (step.do === 'write' && step.audience === 'narrower') this.#missingFolders.add(folder);
  }

  /**
   * Takes back the steps that may succeed now: a name or an id was taken, perhaps by a record that was removed since, since
   * removals come last. That is so where records have taken over each other's names.
   * @returns these steps, and those that were skipped because of others
   */
  takeBackClashes(): readonly SyncStep[] {
    const clashing = [...this.#failed].flatMap(([step, error]) => (error instanceof ConflictError ? step : []));
    if (clashing.length === 0 || !this.done.some((step) => step.do === 'remove')) return [];
    const steps = [...clashing, ...this.skipped];
    this.skipped = [];
    for (const step of clashing) this.#failed.delete(step);
    this.#missingFolders.clear();
    this.#incompleteDatasets.clear();
    for (const step of this.#failed.keys()) this.#noteWhatIsMissing(step);
    return steps;
  }

  /** @param bytes of the step's payload that were sent so far */
  reportSent(step: SyncStep, bytes: number): void {
    this.#inProgress.set(step, bytes);
    this.#report();
  }

  /** Skips a step if one that it depends on has failed. @returns true if it was skipped */
  skipIfBlocked(step: SyncStep): boolean {
    const folders = foldersOfStep(step);
    const isBlocked =
      (step.do !== 'remove' && folders.some((folder) => this.#missingFolders.has(folder))) ||
      this.#showsWhatIsLeft(step) ||
      (this.#incompleteDatasets.has(folders[0] ?? '') && syncFileKind(step.path) === 'version' && step.do === 'write');
    if (!isBlocked) return false;
    this.skipped.push(step);
    // At its new place, another one may still be, which more people see.
    if (step.do === 'move') this.#noteWhatIsMissing(step);
    return true;
  }

  /** True for a step that shows a namespace or dataset to more people, while something in it could not be changed or removed before. */
  #showsWhatIsLeft(step: SyncStep): boolean {
    const shown = shownFolders(step);
    const undone = shown.length ? [...this.#failed.keys(), ...this.skipped] : [];
    return undone.some((one) => foldersOfStep(one).some((folder) => shown.includes(folder)));
  }

  #report(): void {
    let bytes = this.#bytes;
    for (const sent of this.#inProgress.values()) bytes += sent;
    const done = this.done.length + this.#failed.size + this.skipped.length;
    this.#onProgress?.({ done, of: this.#of, bytes, ofBytes: this.#ofBytes });
  }
}
