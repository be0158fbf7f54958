/**
 * Transactions: the only way in which records, payloads and images are written. Edits, creations, moves, removals,
 * uploads and pushes compute changes and commit them here.
 *
 * A step is locked, planned, checked against the rules and then performed: all of it or nothing. Consecutive steps that
 * do not depend on each other go together. In the end every reader sees the changes, and git has one commit of them.
 */

import { isDeepStrictEqual } from 'node:util';
import { forEachConcurrent, makeQueue } from '../catalogue/concurrency.ts';
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import { NotPermittedError } from '../catalogue/errors.ts';
import { type Scope, scopeKey } from '../catalogue/layout.ts';
import type { RecordSet } from '../catalogue/record-set.ts';
import { findRuleViolations } from '../catalogue/rules.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import { withLocks } from '../disk/lock.ts';
import { namePathIn } from '../disk/not-writable.ts';
import type { Access } from './catalogue-files.ts';
import { appendToJournal } from './following/journal.ts';
import { isRefusal } from './missing-references.ts';
import { makeRegularPause, runStepsInSlices } from './reading/event-loop.ts';
import { OverlayTree } from './tree/overlay-tree.ts';
import { performFileActions } from './writing/action.ts';
import { renamesFile, type Step } from './writing/change.ts';
import { findMissingFolders, noteAdditions, scopesToReadAfter, unitsToReadBefore } from './writing/chunk-units.ts';
import { writeNewRecordsOfSteps } from './writing/create-together.ts';
import { type PlannedStep, TransactionPlan } from './writing/plan.ts';
import { ChangedMeanwhileError } from './writing/record-file.ts';
import { refusalError } from './writing/refusal.ts';
import { replaceRecordsOfSteps } from './writing/replace-together.ts';
import { assertChangePermitted } from './writing/rights.ts';
import {
  lockNamesOfChunk,
  type NumberedStep,
  newFoldersOfChunk,
  type StepChunk,
  splitByKind,
  splitIntoChunks,
} from './writing/step-chunks.ts';
import type { WriteContext } from './writing/write-context.ts';
import type { WrittenFolders } from './writing/written-folder.ts';

export interface CommitOptions {
  /** Plan and check the steps without writing anything. */
  readonly dryRun?: boolean | undefined;
  /** Message of the git commit. */
  readonly message: (committed: Committed) => string;
  /** The error of a step that the rules refuse; default: one that names path, line and column. */
  readonly refusal?: (diagnostics: readonly Diagnostic[]) => Error;
  /** Accept names of records that do not exist, as a copy of another catalogue may have them. */
  readonly allowMissingReferences?: boolean;
}

export type StepOutcome = { readonly done: true } | { readonly done: false; readonly error: Error };

export interface Committed {
  /** One for each step. */
  readonly outcomes: readonly StepOutcome[];
  /** The catalogue afterwards; with `dryRun`, as it would be. */
  readonly snapshot: Snapshot;
  /** Ids of the entries of the trash that were made. */
  readonly trashed: ReadonlySet<string>;
}

/**
 * Commits steps in order. Each is atomic, and independent of the outcome of those before.
 * @throws UnavailableError if the catalogue folder is gone
 */
export async function commit(access: Access, steps: readonly Step[], options: CommitOptions): Promise<Committed> {
  const { files, viewer } = access;
  files.store.tree.assertCatalogue();
  if (files.options.readOnly && !options.dryRun) throw new NotPermittedError('The catalogue was opened read-only.');
  if (options.dryRun) return new Transaction(access, options, null).run(steps);
  // Files that are still to be committed must stay at their paths, where git reads them.
  if (steps.some(movesFiles)) await files.commits.drained();
  const work = (context: WriteContext) => new Transaction(access, options, context).run(steps);
  const message = (committed: Committed) =>
    committed.outcomes.some(({ done }) => done) ? options.message(committed) : null;
  return files.commits.runAndCommit(viewer.username, work, message);
}

/**
 * Commits one step.
 * @returns the catalogue afterwards; with `dryRun`, as it would be
 * @throws NotPermittedError, NotFoundError, StaleError, ConflictError, ValidationError, UnavailableError
 */
export async function commitSingleStep(access: Access, step: Step, options: CommitOptions): Promise<Snapshot> {
  const { outcomes, snapshot } = await commit(access, [step], options);
  for (const outcome of outcomes) if (!outcome.done) throw outcome.error;
  return snapshot;
}

function movesFiles({ changes, locks, onlyEdits = false }: Step): boolean {
  return typeof changes === 'function'
    ? locks === undefined && !onlyEdits
    : changes.some((change) => ['remove', 'move', 'restore'].includes(change.do) || renamesFile(change));
}

/** Number of steps that are performed at a time: a disk writes several files as fast as one. */
const concurrency = 8;
/** Milliseconds: one step is planned at once, unless its record is large. */
const maxTurnOfOneStep = 4;
/** Chunks are planned one after another, so that the first is written while the next is planned; one step doesn't wait. */
const inQueue = makeQueue();
/** Number of times that an edit is computed again because another program has saved the file meanwhile. */
const maxAttempts = 5;

class Transaction {
  readonly #access: Access;
  readonly #options: CommitOptions;
  /** Null for a dry run. */
  readonly #context: WriteContext | null;
  readonly #outcomes: StepOutcome[] = [];
  readonly #scopes = new Map<string, Scope>();
  readonly #pause = makeRegularPause();
  /** The tree and the records after the steps so far of a dry run; no records before its first step. */
  #tree: OverlayTree;
  #snapshot: Snapshot | undefined;

  constructor(access: Access, options: CommitOptions, context: WriteContext | null) {
    this.#access = access;
    this.#options = options;
    this.#context = context;
    this.#tree = new OverlayTree(access.files.store.tree);
  }

  async run(steps: readonly Step[]): Promise<Committed> {
    const { files } = this.#access;
    for (const chunk of splitIntoChunks(steps, this.#context !== null)) {
      await this.#runChunk(chunk);
      if (steps.length > 1) await this.#pause();
    }
    if (this.#scopes.size) await appendToJournal(files.root, [...this.#scopes.values()]);
    const snapshot = this.#snapshot ?? files.snapshot;
    const outcomes = this.#outcomes.map((outcome) =>
      outcome.done ? outcome : { ...outcome, error: namePathIn(files.root, outcome.error) },
    );
    return { outcomes, snapshot, trashed: this.#context?.trashed ?? new Set() };
  }

  async #runChunk(chunk: StepChunk): Promise<void> {
    const context = this.#context;
    if (!context) return this.#dryRunChunk(chunk);
    const permitted = await this.#permitted(chunk);
    if (permitted.length === 0) return;
    const names = lockNamesOfChunk(permitted);
    const perform = async (signal: AbortSignal) => {
      // Others may have written meanwhile: then changes that were computed before may have to be those of other records.
      const present = chunk.length === 1 ? await this.#permitted(chunk) : permitted;
      if (present !== permitted && !isDeepStrictEqual(lockNamesOfChunk(present), names)) return [chunk];
      return (await this.#planAndPerform(present, context, signal)) ? [] : splitByKind(present);
    };
    try {
      for (const part of await withLocks(this.#access.files.root, names, perform)) await this.#runChunk(part);
    } catch (error) {
      for (const [i] of permitted) this.#outcomes[i] ??= { done: false, error: error as Error };
    }
  }

  /** The steps of a chunk that the viewer may make. This is checked before locks are taken. */
  async #permitted(chunk: StepChunk): Promise<StepChunk> {
    const permitted: NumberedStep[] = [];
    for (const [i, given] of chunk) {
      try {
        const step = await computeChanges(given);
        if (typeof step.changes !== 'function')
          for (const change of step.changes) assertChangePermitted(this.#access, change);
        permitted.push([i, step]);
      } catch (error) {
        this.#outcomes[i] = { done: false, error: error as Error };
      }
    }
    return permitted;
  }

  async #dryRunChunk(chunk: StepChunk): Promise<void> {
    const overlay = new OverlayTree(this.#tree);
    // Computing the changes may read further units.
    const permitted = await this.#permitted(chunk);
    const plan = new TransactionPlan(this.#access, overlay, {
      snapshot: this.#snapshot ?? this.#access.files.snapshot,
    });
    const { accepted, next } = await this.#plan(permitted, plan, this.#pause);
    if (accepted.length === 0) return;
    this.#tree = overlay;
    this.#snapshot = next.snapshot;
    for (const [i] of accepted) this.#outcomes[i] = { done: true };
  }

  /**
   * Plans and performs the steps of a chunk, under their locks.
   * @returns false if nothing was done, because versions may depend on a dataset that was refused
   */
  async #planAndPerform(chunk: StepChunk, context: WriteContext, signal: AbortSignal, attempt = 1): Promise<boolean> {
    const { files } = this.#access;
    const pause = chunk.length > 1 ? this.#pause : makeRegularPause(maxTurnOfOneStep);
    const missing = findMissingFolders(files.store.tree, newFoldersOfChunk(chunk));
    noteAdditions(files.store, missing);
    const unread = unitsToReadBefore(files.store, chunk, missing);
    if (unread.length)
      await runStepsInSlices(files.store.rescan(unread), chunk.length > 1 ? undefined : maxTurnOfOneStep);
    await pause();
    const plan = new TransactionPlan(this.#access, new OverlayTree(files.store.tree, missing));
    const planChunk = () => this.#plan(chunk, plan, pause);
    const { accepted } = await (chunk.length > 1 ? inQueue(planChunk) : planChunk());
    await pause();
    if (accepted.length < chunk.length && splitByKind(chunk).length > 1) {
      for (const [i] of chunk) delete this.#outcomes[i];
      return false;
    }
    const scopes = new Map<string, Scope>();
    let isRetried = false;
    const planned = accepted.map(([, step]) => step);
    const folders: WrittenFolders = new Map();
    const together = new Map([
      ...(await writeNewRecordsOfSteps(files.root, planned, context, signal, folders)),
      ...(await replaceRecordsOfSteps(files.root, planned, context, signal)),
    ]);
    await forEachConcurrent(accepted, concurrency, async ([i, step]) => {
      const { actions, scopes: changed } = step;
      try {
        const written = together.get(step);
        if (written instanceof Error) throw written;
        if (!written) await performFileActions(files, actions, context, signal);
        if (actions.length) for (const scope of changed) scopes.set(scopeKey(scope), scope);
        this.#outcomes[i] = { done: true };
      } catch (error) {
        isRetried = error instanceof ChangedMeanwhileError && chunk.length === 1 && attempt < maxAttempts;
        if (!isRetried) this.#outcomes[i] = { done: false, error: error as Error };
      }
    });
    if (isRetried) return this.#planAndPerform(chunk, context, signal, attempt + 1);
    for (const [key, scope] of scopes) this.#scopes.set(key, scope);
    const toRead = scopesToReadAfter(files.store, plan.units, scopes, folders);
    if (scopes.size) await files.refresh(toRead);
    return true;
  }

  /** Plans the steps of a chunk. Steps that are refused get their outcome here. */
  async #plan(
    chunk: StepChunk,
    plan: TransactionPlan,
    pause: () => Promise<void> | undefined,
  ): Promise<{ readonly accepted: readonly NumberedPlan[]; readonly next: RecordSet }> {
    const planned: NumberedPlan[] = [];
    for (const [i, { assert, changes }] of chunk) {
      try {
        assert?.();
        planned.push([i, await plan.addStep(typeof changes === 'function' ? await changes() : changes)]);
      } catch (error) {
        this.#outcomes[i] = { done: false, error: error as Error };
      }
      await pause();
    }
    const next = plan.recordsAfter();
    await pause();
    const touched = planned.flatMap(([, step]) => step.touched);
    const { allowMissingReferences, refusal } = this.#options;
    const textOf = (path: string) => plan.text(path);
    const found = findRuleViolations(next, touched).filter((one) =>
      isRefusal(this.#access, one, allowMissingReferences),
    );
    const accepted = planned.filter(([i, step]) => {
      const own = found.filter(({ path }) => step.touched.some((one) => one.path === path));
      if (own.length)
        this.#outcomes[i] = { done: false, error: refusalError(this.#access, own, { next, textOf, refusal }) };
      return own.length === 0;
    });
    return { accepted, next };
  }
}

type NumberedPlan = readonly [i: number, step: PlannedStep];

/** The step with its changes, if its locks depend on them. */
async function computeChanges(step: Step): Promise<Step> {
  return typeof step.changes === 'function' && !step.locks ? { ...step, changes: await step.changes() } : step;
}
