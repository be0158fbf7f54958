/**
 * Journal of the feed of changes: `.catalogue/changes.ndjson` has the history of who could see which records, a line of JSON
 * for each state. A follower of the folder appends what it notices; at the next start, the differences between the journal
 * and the folder are what happened in the meantime. It can be lost: a new one begins with the present state.
 */
import { FeedHistory, isSameRecordState, type RecordState, type UserState } from '../catalogue/feed-history.ts';
import type { Unit } from '../catalogue/layout.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { User } from '../catalogue/types.ts';
import { errorCode } from '../disk/durable.ts';
import { makeFolderInPrivateFolder } from '../disk/private-folder.ts';
import { type FeedRef, settlingTime, timeOfLastChange } from './changes-feed.ts';
import { clockChange, lastTimeOf } from './feed-clock.ts';
import { appendStates, feedPath, readHistory, type StoredHistory, writeHistory } from './feed-journal-file.ts';
import {
  affectedRefs,
  affectedUsers,
  type Records,
  recordState,
  recordsWithKnown,
  takeFirst,
  uniqueRefs,
} from './feed-records.ts';
import { isHeldRecord } from './held-records.ts';
import { makeRegularPause } from './reading/event-loop.ts';
import type { UnitStore } from './reading/unit-store.ts';

/** Age in milliseconds of the oldest event; and the number of events: at least this number, and two for each record. */
const maxAge = 90 * 24 * 60 * 60_000;
const minEvents = 10_000;
/** Number of records that are noticed without a pause. */
const maxAtOnce = 100;
/** Milliseconds between two checks of the age. */
const checkAgeEvery = 24 * 60 * 60_000;

export interface FeedJournalOptions {
  /** True to read the journal, but never write it. */
  readonly readOnly?: boolean | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** Number of events from which the older half is dropped. */
  readonly maxEvents?: number | undefined;
}

export class FeedJournal {
  readonly #store: UnitStore;
  readonly #options: FeedJournalOptions;
  readonly #path: string;
  #history: FeedHistory;
  /** Times of the last changes of records, as they were last noticed. */
  readonly #times = new Map<string, number>();
  #unwritten: (RecordState | UserState)[] = [];
  #mustRewrite: boolean;
  #writing: Promise<void> = Promise.resolve();
  #noticing: Promise<void> = Promise.resolve();
  /** Number of notices in slices that aren't finished: later ones wait for them. */
  #waiting = 0;
  #lastTime = 0;
  /** Time from which the clock was set back before the history began; 0 if it wasn't. */
  #setBackFrom: number;
  #ageChecked = 0;
  #hasFailed = false;

  private constructor(store: UnitStore, options: FeedJournalOptions, { stored, setBackFrom }: Readable) {
    this.#store = store;
    this.#options = options;
    this.#path = feedPath(store.tree.root);
    this.#mustRewrite = stored === null || stored.isDamaged;
    // The clock may have been ahead a little when the last events were written: earlier ones would be listed before them.
    this.#lastTime = stored ? lastTimeOf(stored.history) : 0;
    this.#setBackFrom = setBackFrom;
    this.#history = stored?.history ?? new FeedHistory(this.#now());
  }

  /**
   * Reads the journal of a folder that was read as a whole, and notices every change from now on. In slices: a server that
   * starts answers requests in the meantime.
   */
  static async open(store: UnitStore, options: FeedJournalOptions = {}): Promise<FeedJournal> {
    const readable = await readStored(store, options);
    const { stored, readOnly } = readable;
    const journal = new FeedJournal(store, { ...options, readOnly }, readable);
    const { snapshot } = store;
    const users = [...snapshot.users.values()];
    const records = recordsWithKnown(store, stored?.history.records ?? []);
    // Nobody has read a history that is only read: what happened before counts as settled, so that a single answer has it.
    const settled = Math.max(Date.now() - settlingTime, stored?.history.lastTime ?? 0);
    journal.#noticeLater(snapshot, users, records, !stored ? 0 : options.readOnly ? settled : undefined);
    store.onUpdate = (units) => journal.#notice(units);
    await journal.#noticing;
    return journal;
  }

  get history(): FeedHistory {
    this.#beginAnewIfClockWasSet();
    return this.#history;
  }

  /** Begins with the present state, as without a journal, if the clock was ahead, or behind, when the last events were noticed. */
  #beginAnewIfClockWasSet(): void {
    const change = clockChange(this.#lastTime, this.#setBackFrom);
    if (!change) return;
    this.#options.log?.(change.message);
    this.#setBackFrom = change.setBackFrom;
    this.#lastTime = 0;
    this.#history = new FeedHistory(this.#now());
    this.#unwritten.length = 0;
    this.#mustRewrite = true;
    const { snapshot } = this.#store;
    this.#noticeLater(snapshot, [...snapshot.users.values()], recordsWithKnown(this.#store, []), 0);
  }

  /** Resolves when all that was noticed so far is on disk, or can't be written. */
  async written(): Promise<void> {
    await this.#noticing;
    await this.#writing;
  }

  /** Writes what could not be written before, and resolves as `written`: to be called when the program ends. */
  async close(): Promise<void> {
    await this.written();
    this.#startWriting();
    await this.#writing;
  }

  /** The present time, never before one that was used already. */
  #now(): number {
    this.#lastTime = Math.max(this.#lastTime, Date.now());
    return this.#lastTime;
  }

  /** Notices what became of units: of a few at once, of many in slices, so that requests have their turn. */
  #notice(units: readonly Unit[]): void {
    this.#beginAnewIfClockWasSet();
    const { snapshot } = this.#store;
    const users = affectedUsers(snapshot, units);
    const records = takeFirst(uniqueRefs(affectedRefs(snapshot, units)), maxAtOnce + 1);
    if (records.length <= maxAtOnce && this.#waiting === 0) {
      const at = this.#now();
      this.#noticeUsers(snapshot, users, at);
      for (const [record, ref] of records) this.#addIfChanged(this.#compare(snapshot, record, ref), at);
      this.#startWriting();
    } else this.#noticeLater(snapshot, users, uniqueRefs(affectedRefs(snapshot, units)));
  }

  #noticeLater(snapshot: Snapshot, users: readonly User[], records: Records, moment?: number): void {
    this.#waiting++;
    this.#noticing = this.#noticing.then(() => this.#noticeInSlices(snapshot, users, records, moment));
  }

  /**
   * Compares records in slices, and adds all events in one step, with one time: rights and audiences of different moments
   * would together say that a user has seen what nobody could see.
   * @param moment of all changes, if nobody reads the history yet; default: when they have been compared
   */
  async #noticeInSlices(snapshot: Snapshot, users: readonly User[], records: Records, moment?: number): Promise<void> {
    const pause = makeRegularPause();
    const found: ComparedRecord[] = [];
    for (const [record, ref] of records) {
      const compared = this.#compare(snapshot, record, ref);
      if (moment !== undefined) this.#addIfChanged(compared, moment);
      else if (!compared.isSame || compared.before !== undefined) found.push(compared);
      await pause();
    }
    const at = moment ?? this.#now();
    this.#noticeUsers(snapshot, users, at);
    for (const compared of found) this.#addIfChanged(compared, at);
    this.#waiting--;
    this.#startWriting();
  }

  /** Compares a record with its last state, and remembers when its files changed. */
  #compare(snapshot: Snapshot, record: string, ref: FeedRef): ComparedRecord {
    const state = recordState(snapshot, record, ref);
    const latest = this.#history.latest(record);
    const time = timeOfLastChange(this.#store, ref);
    const before = this.#times.get(record);
    this.#times.set(record, time);
    // A record that is held was not removed: it stays in its last state.
    const isUnknown = latest ? isHeldRecord(this.#store, ref) : state.seenBy === null;
    if (isUnknown) return { state, isSame: true, time, before: undefined };
    return { state, isSame: isSameRecordState(latest, state), time, before: before === time ? undefined : before };
  }

  /**
   * Adds the state of a record, if it is another one; or if a change of its files was noticed so late that the feed may
   * have been read up to a later time, as it happens in a folder that is polled. Then the time at which it was noticed counts.
   */
  #addIfChanged({ state, isSame, time, before }: ComparedRecord, at: number): void {
    const isLate = before !== undefined && time > 0 && at - time > settlingTime / 2;
    if (isSame && !isLate) return;
    this.#add(isLate ? { ...state, at, late: true } : at === state.at ? state : { ...state, at });
  }

  #noticeUsers(snapshot: Snapshot, users: Iterable<User>, at: number): void {
    for (const { id, slug, groups: named, staff } of users) {
      const before = this.#history.latestRights(id);
      // A group whose record is gone gives no rights.
      const groups = named.filter((group) => snapshot.groups.has(group));
      const state: UserState = { user: id, at, username: slug, groups, staff };
      if (before && JSON.stringify({ ...before, at }) === JSON.stringify(state)) continue;
      this.#add(state);
    }
  }

  #add(state: RecordState | UserState): void {
    this.#history.add(state);
    this.#unwritten.push(state);
  }

  #startWriting(): void {
    if (this.#options.readOnly) {
      this.#unwritten.length = 0;
      this.#dropOldEvents();
      return;
    }
    if (this.#unwritten.length === 0 && !this.#mustRewrite) return;
    this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    if (this.#dropOldEvents()) this.#mustRewrite = true;
    const states = this.#unwritten.splice(0);
    try {
      if (this.#mustRewrite) await this.#rewrite();
      else if (states.length && !(await appendStates(this.#path, states))) await this.#rewrite();
      this.#mustRewrite = false;
      this.#hasFailed = false;
    } catch (error) {
      this.#mustRewrite = true;
      if (!this.#hasFailed)
        this.#options.log?.(
          `The journal of changes can't be written (${errorCode(error) || errorCode((error as Error).cause)}): ` +
            'after the next start, removals before it are unknown.',
        );
      this.#hasFailed = true;
    }
  }

  async #rewrite(): Promise<void> {
    await makeFolderInPrivateFolder(this.#store.tree.root);
    // What is noticed while the file is written is in the history already, or is appended afterwards.
    await writeHistory(this.#path, this.#history, this.#setBackFrom);
  }

  /** @returns true if there were any */
  #dropOldEvents(): boolean {
    const { maxEvents = Math.max(minEvents, 2 * this.#history.recordCount) } = this.#options;
    const before = this.#history;
    if (before.eventCount > maxEvents) {
      this.#history = before.after(before.medianTime);
      if (this.#history.eventCount > maxEvents) this.#history = before.after(before.medianTime + 1);
    }
    const now = this.#now();
    if (now - this.#ageChecked > checkAgeEvery) {
      this.#ageChecked = now;
      if ((before.firstTime ?? now) < now - maxAge) this.#history = this.#history.after(now - maxAge);
    }
    return this.#history !== before;
  }
}

/** A history that was read, and whether it may be replaced. */
interface Readable {
  readonly stored: StoredHistory | null;
  readonly readOnly: boolean | undefined;
  /** As in `StoredHistory`. */
  readonly setBackFrom: number;
}

/** The stored history. One that can't be read now is not replaced by another: the journal is not written then. */
async function readStored(store: UnitStore, { readOnly, log }: FeedJournalOptions): Promise<Readable> {
  const path = feedPath(store.tree.root);
  try {
    const stored = await readHistory(path, store.states);
    if (stored?.badLines)
      log?.(`The journal of changes has ${stored.badLines} damaged lines: ${path}. Removals in them are unknown.`);
    const setBackFrom = stored?.setBackFrom ?? 0;
    const change = stored && clockChange(lastTimeOf(stored.history), setBackFrom);
    if (!change) return { stored, readOnly, setBackFrom };
    log?.(change.message);
    return { stored: null, readOnly, setBackFrom: change.setBackFrom };
  } catch (error) {
    log?.(
      `The journal of changes can't be read (${errorCode(error)}): ${path}. It stays as it is, and is not written. ` +
        'Until a start that can read it, removals before this one are unknown.',
    );
    return { stored: null, readOnly: true, setBackFrom: 0 };
  }
}

/** A record beside its last state in the history. */
interface ComparedRecord {
  /** As it is now; its time is 0. */
  readonly state: RecordState;
  /** True if the last state is the same, or there has never been one. */
  readonly isSame: boolean;
  /** Time of the last change of its files, in milliseconds; and the time before, if that was another. */
  readonly time: number;
  readonly before: number | undefined;
}
