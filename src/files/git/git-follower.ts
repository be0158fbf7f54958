/**
 * Follows a branch of a git remote: fetches it at an interval or on request, and takes new commits into the catalogue folder.
 * It only fast-forwards, and takes no commit that brings errors: those that `catalogue check --changed` would find.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowProblem, type FollowState, findProblemOfCommit } from './fetched-commit.ts';
import { GitError, runGit } from './git.ts';
import { type FollowedBranch, findFollowedBranch, pathsChangedInGit, translateGitErrors } from './refs.ts';

export interface FollowReport {
  /** Id of the commit that is served. */
  readonly commit: string;
  /** The branch that is followed, such as `origin/main`. */
  readonly remote: string;
  readonly state: FollowState;
  /** Time of the last successful fetch (RFC 3339); null if there was none. */
  readonly fetched: string | null;
  /** The commit that is not taken. */
  readonly refused?: { readonly commit: string; readonly errors: number };
}

export interface FollowOptions {
  /** Name of the remote; default: that of the branch that is checked out, else `origin`. */
  readonly remote?: string | undefined;
  /** Seconds between two fetches. */
  readonly interval: number;
  readonly log: (line: string) => void;
}

/** The catalogue folder, as far as it is needed here. */
export interface FollowedFiles {
  readonly root: string;
  applyChanges(work: () => Promise<readonly string[]>): Promise<void>;
}

/** Milliseconds that a fetch or a checkout may take. */
const timeout = 600_000;
/** Lets git give up a remote that sends nothing for so many seconds over HTTP (git-config; `GIT_HTTP_LOW_SPEED_TIME` overrides it). */
const endSilence = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=60'];
/** Milliseconds between two fetches for requests that want a later position. */
const minPause = 1000;
/** Commits that a server may be behind others. A position further ahead is of another history, or made up. */
const farAhead = 10_000;

export class GitFollower {
  readonly #files: FollowedFiles;
  readonly #options: FollowOptions;
  readonly #remote: string;
  readonly #branch: string;
  /** The commit that is served. */
  #commit: string;
  /** Its number of commits; null in a shallow clone, where they can't be counted. */
  #position: number | null = null;
  #nextPosition: number | null = null;
  #state: FollowState = 'starting';
  #fetched: Date | null = null;
  /** End of the last fetch, successful or not: milliseconds of `performance.now()`, which never goes back. */
  #tried = Number.NEGATIVE_INFINITY;
  /** Start of the last update that found nothing newer than what is served, or took it: likewise. */
  #confirmed = Number.NEGATIVE_INFINITY;
  #refused: { readonly commit: string; readonly errors: number } | undefined;
  /** The last commits that were compared, and their problem: it is neither searched nor logged again. */
  #known: { readonly range: string; readonly problem: FollowProblem } | undefined;
  #logged = '';
  #running: Promise<void> | undefined;
  /** The update that waiting requests share, until it begins. */
  #next: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  private constructor(files: FollowedFiles, options: FollowOptions, { remote, branch, commit }: FollowedBranch) {
    this.#files = files;
    this.#options = options;
    this.#remote = remote;
    this.#branch = branch;
    this.#commit = commit;
  }

  /**
   * Prepares to follow the remote. `start` begins.
   * @throws UnusableCatalogueError that says what git lacks; NotFoundError if the folder is in no repository
   */
  static async open(files: FollowedFiles, options: FollowOptions): Promise<GitFollower> {
    const found = await translateGitErrors(() => findFollowedBranch(files.root, options.remote));
    const follower = new GitFollower(files, options, found);
    await translateGitErrors(() => follower.#setPosition(found.commit));
    return follower;
  }

  /**
   * Number of the newest commit that a response may show: how many there are up to it. Each fast-forward raises it, so it
   * tells which of two servers is behind. Null in a shallow clone.
   */
  get position(): number | null {
    return this.#nextPosition;
  }

  /**
   * True if the commit with this number is served; it is fetched if needed. Also true if the remote has no such commit, or it is
   * far ahead: the number is of another history then.
   * @param patience milliseconds to wait for it
   */
  async hasReached(position: number, patience: number): Promise<boolean> {
    if (this.#isServed(position)) return true;
    const start = performance.now();
    const timer = new AbortController();
    await Promise.race([this.#updateSoon(), sleep(patience, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    return this.#isServed(position) || this.#confirmed >= start;
  }

  /** Updates when the last fetch is long enough ago. Requests that come until it begins share it. */
  #updateSoon(): Promise<void> {
    this.#next ??= this.#updateAfterPause();
    return this.#next;
  }

  async #updateAfterPause(): Promise<void> {
    await this.#running;
    const { signal } = this.#closing;
    const pause = this.#tried + minPause - performance.now();
    if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => {});
    this.#next = undefined;
    if (!signal.aborted) await this.update();
  }

  /** True if a request for this position need not wait. */
  #isServed(position: number): boolean {
    return this.#position === null || position <= this.#position || position > this.#position + farAhead;
  }

  get report(): FollowReport {
    return {
      commit: this.#commit,
      remote: this.#followed,
      state: this.#state,
      fetched: this.#fetched?.toISOString() ?? null,
      ...(this.#refused && { refused: this.#refused }),
    };
  }

  /** Fetches now and at each interval. */
  start(): void {
    void this.update();
    this.#timer = setInterval(() => void this.update(), this.#options.interval * 1000);
  }

  /** Name of the remote branch, such as `origin/main`. */
  get #followed(): string {
    return `${this.#remote}/${this.#branch}`;
  }

  /** Fetches and takes the newest commit; resolves when it is served or a problem is known. One that runs is followed by another. */
  update(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#updateWhileAsked().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Stops; a checkout under way is finished. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#running;
  }

  async #updateWhileAsked(): Promise<void> {
    while (this.#again && !this.#closing.signal.aborted) {
      this.#again = false;
      const start = performance.now();
      const problem = await this.#updateOnce().catch((error: Error) => ({
        state: 'blocked' as const,
        message: sentence(error),
      }));
      if (this.#closing.signal.aborted) return;
      if (problem === null) this.#confirmed = start;
      this.#setState(problem);
    }
  }

  /** @returns null if the newest commit is served */
  async #updateOnce(): Promise<FollowProblem | null> {
    const { root } = this.#files;
    const newest = await this.#fetch();
    if (typeof newest !== 'string') return newest;
    const branch = await runGit(root, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => '');
    if (branch.trim() !== this.#branch)
      return { state: 'blocked', message: `Check out the branch that is followed: git checkout ${this.#branch}` };
    const head = (await runGit(root, ['rev-parse', 'HEAD'])).trim();
    if (head !== this.#commit || this.#position === null) await this.#setPosition(head);
    if (newest === head) {
      if (this.#state === 'diverged') this.#logServed();
      return null;
    }
    const range = `${head}..${newest}`;
    if (this.#known?.range === range && this.#known.problem.state !== 'blocked') return this.#known.problem;
    const found = (await findProblemOfCommit(root, head, newest, this.#followed)) ?? (await this.#take(head, newest));
    const problem = found && { ...found, commit: newest };
    this.#known = problem ? { range, problem } : undefined;
    return problem;
  }

  /** Takes note of a commit that is checked out. */
  async #setPosition(commit: string): Promise<void> {
    const { root } = this.#files;
    const isShallow = (await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    this.#position = isShallow ? null : Number(await runGit(root, ['rev-list', '--count', commit]));
    this.#nextPosition = this.#position;
    this.#commit = commit;
  }

  /** Fetches the branch. @returns id of its newest commit, or the problem */
  async #fetch(): Promise<string | FollowProblem> {
    const ref = `refs/remotes/${this.#followed}`;
    const refspec = `+refs/heads/${this.#branch}:${ref}`;
    const args = [...endSilence, 'fetch', '--quiet', '--no-tags', this.#remote, refspec];
    try {
      await runGit(this.#files.root, args, { timeout, signal: this.#closing.signal });
      this.#fetched = new Date();
      return (await runGit(this.#files.root, ['rev-parse', ref])).trim();
    } catch (error) {
      return { state: 'unreachable', message: `${sentence(error as Error)} It is tried again.` };
    } finally {
      this.#tried = performance.now();
    }
  }

  /** Checks out the commit and reads the files that it changes. */
  async #take(head: string, newest: string): Promise<FollowProblem | null> {
    const { root } = this.#files;
    try {
      const paths = await pathsChangedInGit(root, head, { commit: newest });
      const added = Number(await runGit(root, ['rev-list', '--count', `${head}..${newest}`]));
      // From here on, a response may show the new commit.
      if (this.#position !== null) this.#nextPosition = this.#position + added;
      await this.#files.applyChanges(async () => {
        await runGit(root, ['merge', '--ff-only', '--no-overwrite-ignore', '--quiet', newest], { timeout });
        return paths;
      });
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      this.#nextPosition = this.#position;
      return { state: 'blocked', message: sentence(error) };
    }
    this.#commit = newest;
    this.#position = this.#nextPosition;
    this.#logServed();
    return null;
  }

  #logServed(): void {
    this.#options.log(`Serving commit ${shortId(this.#commit)} of ${this.#followed}.`);
  }

  /** Sets the state; a problem is logged when it is new. */
  #setState(problem: FollowProblem | null): void {
    const { state = 'current', message = '', commit, errors = 0 } = problem ?? {};
    this.#refused = commit && state === 'refused' ? { commit, errors } : undefined;
    const branch = this.#followed;
    const what = commit ? `Commit ${shortId(commit)} of ${branch} is not taken` : `${branch} is not followed`;
    const line = problem ? `${what}; ${shortId(this.#commit)} is served. ${message}` : '';
    if (line && line !== this.#logged) this.#options.log(line);
    if (!line && this.#state === 'unreachable') this.#options.log(`${branch} is followed again.`);
    this.#logged = line;
    this.#state = state;
  }
}

const shortId = (commit: string) => commit.slice(0, 10);

const sentence = ({ message }: Error) => (message.endsWith('.') ? message : `${message}.`);
