/**
 * History of the feed of changes: who could see which records, and when that changed. From it follows for each viewer
 * what was removed, and nothing about records that the viewer never could see. Pure; times are milliseconds since 1970.
 */
import { isInAudience, type Rights } from './audience.ts';

/** State of a record from a moment on; 0 stands for the beginning of the history. */
export interface RecordState {
  /** Path of the record, without its extension. */
  readonly record: string;
  readonly at: number;
  /** Its audience; null from its removal on. */
  readonly seenBy: string | null;
  /** Slugs of the versions of a dataset, without drafts; sorted. */
  readonly versions?: readonly string[];
  /** True if its files have changed earlier, which was noticed only now. */
  readonly late?: true;
}

/** Rights of a user from a moment on. Users are known by their ids, since a name may be given to another person. */
export interface UserState extends Rights {
  readonly user: number;
  readonly at: number;
}

/** A record as one viewer saw it. */
export interface ViewedRecord {
  /** Time from which on the viewer sees it, or sees it with its last change; 0 if always. */
  readonly since: number;
  /** Time from which on the viewer sees it no longer; null if the viewer sees it, or never did. */
  readonly lost: number | null;
  /** Times at which versions were removed, by slug. */
  readonly lostVersions: ReadonlyMap<string, number>;
}

const none: ReadonlyMap<string, number> = new Map();

export class FeedHistory {
  /** States by record, in the order of time. Most records have one, which stands here without a list: it needs less memory. */
  readonly #records = new Map<string, RecordState | RecordState[]>();
  readonly #users = new Map<number, UserState[]>();
  #events = 0;
  #firstTime: number | null = null;
  #lastTime = 0;
  #completeSince: number;

  constructor(completeSince: number) {
    this.#completeSince = completeSince;
  }

  /** Time from which on removals are known. */
  get completeSince(): number {
    return this.#completeSince;
  }

  /** Number of the states that followed another. */
  get eventCount(): number {
    return this.#events;
  }

  /** Paths of all records, without extensions. */
  get records(): Iterable<string> {
    return this.#records.keys();
  }

  get recordCount(): number {
    return this.#records.size;
  }

  /** The last state of a record. */
  latest(record: string): RecordState | undefined {
    return this.#statesOf(record).at(-1);
  }

  /** The last rights of a user. */
  latestRights(user: number): UserState | undefined {
    return this.#users.get(user)?.at(-1);
  }

  add(state: RecordState | UserState): void {
    if (state.at > 0) {
      this.#events++;
      this.#firstTime = Math.min(state.at, this.#firstTime ?? state.at);
      this.#lastTime = Math.max(state.at, this.#lastTime);
    }
    if ('record' in state) {
      const states = this.#statesOf(state.record);
      this.#records.set(state.record, states.length ? inserted(states, state) : state);
    } else this.#users.set(state.user, inserted(this.#users.get(state.user) ?? [], state));
  }

  #statesOf(record: string): RecordState[] {
    const states = this.#records.get(record) ?? [];
    return Array.isArray(states) ? states : [states];
  }

  /** All states: those of users first. */
  *states(): Generator<RecordState | UserState> {
    for (const states of this.#users.values()) yield* states;
    for (const record of this.#records.keys()) yield* this.#statesOf(record);
  }

  /** The time before which half of the events happened. */
  get medianTime(): number {
    const times = [...this.states()].map(({ at }) => at).filter((at) => at > 0);
    return times.sort((a, b) => a - b)[times.length >> 1] ?? this.#completeSince;
  }

  /** Time of the first event; null if there is none. */
  get firstTime(): number | null {
    return this.#firstTime;
  }

  /** Time of the last event; 0 before the first one. */
  get lastTime(): number {
    return this.#lastTime;
  }

  /** The history from a time on: earlier events become its beginning. */
  after(time: number): FeedHistory {
    const history = new FeedHistory(Math.max(time, this.#completeSince));
    for (const record of this.#records.keys())
      for (const state of fromTime(this.#statesOf(record), time))
        if (state.at > 0 || state.seenBy !== null) history.add(state);
    for (const states of this.#users.values()) for (const state of fromTime(states, time)) history.add(state);
    return history;
  }

  /**
   * A record as a viewer saw it.
   * @param viewer id of a user; the rights of a viewer who has always had them
   */
  viewedBy(record: string, viewer: number | Rights): ViewedRecord {
    const states = this.#statesOf(record);
    const rights = typeof viewer === 'number' ? (this.#users.get(viewer) ?? []) : [{ ...viewer, at: 0 }];
    const [first] = states;
    // Most records have one state.
    if (first && states.length === 1 && rights.length <= 1 && (rights[0]?.at ?? 0) === 0)
      return { since: first.at, lost: null, lostVersions: none };
    return view(states, rights);
  }
}

const anonymous: Rights = { username: null, groups: [], staff: false };

function view(states: readonly RecordState[], rights: readonly (Rights & { readonly at: number })[]): ViewedRecord {
  const moments = [...new Set([...states, ...rights].map(({ at }) => at))].sort((a, b) => a - b);
  let sees = false;
  let since = 0;
  let lost: number | null = null;
  let known: readonly string[] = [];
  const lostVersions = new Map<string, number>();
  for (const moment of moments) {
    const state = states.findLast(({ at }) => at <= moment);
    const seesNow = isInAudience(state?.seenBy ?? null, rights.findLast(({ at }) => at <= moment) ?? anonymous);
    if (seesNow && !sees) [since, lost] = [moment, null];
    if (!seesNow && sees) lost = moment;
    if (seesNow) {
      const { versions = [] } = state ?? {};
      if (state?.at === moment && (state.late || versions.join() !== known.join())) since = moment;
      for (const slug of known) if (!versions.includes(slug)) lostVersions.set(slug, moment);
      for (const slug of versions) lostVersions.delete(slug);
      known = versions;
    }
    sees = seesNow;
  }
  return { since, lost, lostVersions };
}

/** True if two states of a record differ at most in their times. */
export function isSameRecordState(a: RecordState | undefined, b: RecordState | undefined): boolean {
  if (a === undefined || a.seenBy !== b?.seenBy || a.versions?.length !== b.versions?.length) return false;
  return a.versions?.every((slug, i) => slug === b.versions?.[i]) ?? true;
}

/** The states from a time on; the one before them becomes the first. */
function fromTime<T extends { readonly at: number }>(states: readonly T[], time: number): readonly T[] {
  const later = states.filter(({ at }) => at >= time);
  const before = states.findLast(({ at }) => at < time);
  return before ? [{ ...before, at: 0 }, ...later] : later;
}

/** A list with a state added in the order of time: another process may have written later ones before it. */
function inserted<T extends { readonly at: number }>(list: T[], state: T): T[] {
  if ((list.at(-1)?.at ?? 0) <= state.at) list.push(state);
  else list.splice(list.findLastIndex(({ at }) => at <= state.at) + 1, 0, state);
  return list;
}
