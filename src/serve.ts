/** The entry point that serves the catalogue of a folder over HTTP. */

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { noCredentialsWarning } from './catalogue/accounts.ts';
import { UnusableCatalogueError } from './catalogue/errors.ts';
import { anonymous } from './catalogue/permissions.ts';
import { type IngestLimits, IngestPool } from './data/ingest/ingest-pool.ts';
import { WorkerPool } from './data/worker-pool.ts';
import { type FileCatalogue, openFileCatalogue } from './files/file-catalogue.ts';
import type { GitFollower } from './files/git/git-follower.ts';
import { createApp } from './server/app.ts';
import { respondWhileStarting } from './server/health.ts';
import { listenForRequests } from './server/listen.ts';
import { createServerLog, type LogFormat } from './server/log.ts';
import { startMetrics } from './server/metrics.ts';
import { listenerWithPosition } from './server/position.ts';
import type { WorkBudgetOptions } from './server/work-budgets.ts';
import { loadPackagesForWriting } from './text/packages.ts';

export interface ServeOptions {
  /** Path of the catalogue folder. */
  readonly folder: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Base URL of links; default: from the settings, or from each request. */
  readonly baseUrl?: string | undefined;
  /** Write nothing, not even caches. */
  readonly readOnly?: boolean;
  /** Format of the log: lines of text about problems (default), or JSON about problems and every request. */
  readonly logFormat?: LogFormat;
  /** Collect metrics for Prometheus, at /metrics; default: from the settings. */
  readonly metrics?: boolean;
  /**
   * Follow the branch of a git remote, and refuse writes: they go to the remote. Its name, or true for that of the branch
   * that is checked out.
   */
  readonly followGit?: string | true | undefined;
  /** Seconds between two fetches from the git remote; default 60. */
  readonly followInterval?: number;
  /** Secret of the webhook that starts a fetch; without it, there is no webhook. */
  readonly webhookSecret?: string | undefined;
  /** Limits of the processes that read files from outside. */
  readonly ingestLimits?: Partial<IngestLimits>;
  /** Threads for what takes long; by default a pool of its own. It is closed with the server. */
  readonly workers?: WorkerPool;
  /** Time that each client may use for filtering, ordering and comparing rows. */
  readonly work?: Partial<WorkBudgetOptions>;
  readonly log?: (line: string) => void;
}

export interface Serving {
  readonly url: string;
  /** The catalogue's title. */
  readonly title: string;
  /** Finishes the requests under way, and releases folder and port. */
  close(): Promise<void>;
}

/**
 * Serves the catalogue in a folder; resolves once it answers.
 * @throws UnusableCatalogueError, AddressError
 */
export async function startServer(options: ServeOptions): Promise<Serving> {
  const { folder, host, port, baseUrl, readOnly = false, logFormat = 'text', work } = options;
  const { problem: log, request: onResponse } = await createServerLog(logFormat, options.log ?? (() => {}));
  const pool = new IngestPool(options.ingestLimits);
  const workers = options.workers ?? new WorkerPool();
  // Not before: with another flag than when it was built, Node compiles its own modules again in each thread (decision 0136).
  const onThreadsRun = () => setHeapGrowth(growthAtStart);
  const catalogue = await openFileCatalogue(folder, { readOnly, log, ingest: pool.ingest, workers, onThreadsRun });
  const follower = await openFollower(catalogue, options, log);
  // The port is opened first: requests get 503 while the files are being read.
  const listening = await listenForRequests(respondWhileStarting, host, port);
  try {
    await catalogue.follow();
  } catch (error) {
    await listening.close(0);
    throw error;
  }
  const settling = settleHeap(catalogue.store);
  const { accounts, snapshot } = catalogue;
  if (!readOnly && snapshot.users.size > 0 && !(await accounts.hasCredentials()))
    log(`${noCredentialsWarning.message} ${noCredentialsWarning.advice}`);
  const metrics = (options.metrics ?? snapshot.settings.metrics) ? await startMetrics() : undefined;
  const health = () => {
    catalogue.assertPresent();
    const { made, failed } = catalogue.commits;
    return {
      ...(catalogue.snapshot.settings.git.commit && { commits: { made, failed } }),
      ...(follower && { git: follower.report }),
    };
  };
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { webhookSecret: secret } = options;
  const gitUpdates = follower && secret ? { secret, start: () => void follower.update() } : null;
  const reading = { readOnly: readOnly || follower !== null, gitUpdates };
  const appOptions = { accounts, baseUrl, version, health, log, onResponse, metrics, work, ...reading };
  const app = createApp((viewer) => catalogue.for(viewer), appOptions);
  // What everybody may see is found out now: the first request would wait for it, and all others with it.
  void catalogue.for(anonymous).revision;
  if (!reading.readOnly) loadPackagesForWriting();
  const listener = follower ? listenerWithPosition(app, follower) : app;
  listening.setListener((request, response) => {
    settling.count(response);
    listener(request, response);
  });
  follower?.start();
  return {
    url: listening.url,
    get title() {
      return catalogue.snapshot.settings.title;
    },
    async close() {
      await listening.close();
      settling.end();
      await pool.close();
      await follower?.close();
      await catalogue.close();
      await workers.close();
    },
  };
}

/**
 * Growth of the heap in percent of what is in use, after which V8 collects all garbage; by itself, it waits for up to 300.
 * The heap grows fast at the start, and most of what is read stays. (Decision 0120.)
 */
const growthAtStart = 100;
const growthWhenLarge = 40;
/** V8 decides. */
const growthByItself = 0;
/** Bytes in use from which a heap is large. */
const largeHeap = 150e6;

/** Counts from the next collection on. */
const setHeapGrowth = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/** Milliseconds in which V8 has surely given back what the start has left: it looks every 8 seconds. */
const settlingTime = 60_000;
/** Changed records after which the heap is no longer what the start has left: in a small one, a push of thousands takes a sixth longer. */
const manyChanges = 500;
/** Requests between two looks from which the server has a load: with the heap being made smaller, each cached one takes a third longer. */
const manyRequests = 250;
/** Milliseconds between two looks at their number. */
const lookEvery = 250;
/** Looks one after another, each while a response is made or sent, from which the server has a load: of a few that take long. */
const busyLooks = 4;

/** The time in which a small heap is made smaller. */
interface Settling {
  /** To be called for each request. */
  count(response: ServerResponse): void;
  /** Leaves the heap to V8. */
  end(): void;
}

/**
 * After the start, a large heap may grow by less. A small one is made smaller: within some seconds, V8 collects the garbage of the
 * start in steps, and gives back the memory of the young generation, which it does by itself after minutes without
 * requests. It is left to V8 after `settlingTime`, many changes or many requests, or when the server is always at work for
 * some. (Decisions 0127 and 0137.)
 */
function settleHeap(store: { readonly changeCount: number }): Settling {
  if (getHeapStatistics().used_heap_size > largeHeap) {
    setHeapGrowth(growthWhenLarge);
    return { count() {}, end() {} };
  }
  setFlagsFromString('--optimize-for-size');
  const until = performance.now() + settlingTime;
  const mostChanges = store.changeCount + manyChanges;
  let isSettling = true;
  let [requests, underWay, busy] = [0, 0, 0];
  const end = () => {
    isSettling = false;
    clearInterval(timer);
    setFlagsFromString('--no-optimize-for-size');
    setHeapGrowth(growthByItself);
  };
  const timer = setInterval(() => {
    busy = underWay > 0 ? busy + 1 : 0;
    const isLoaded = requests > manyRequests || busy >= busyLooks || store.changeCount > mostChanges;
    if (isLoaded || performance.now() > until) end();
    requests = 0;
  }, lookEvery).unref();
  const count = (response: ServerResponse) => {
    if (!isSettling) return;
    requests++;
    underWay++;
    response.once('close', () => underWay--);
  };
  return { count, end };
}

/** @returns null unless a git remote is to be followed @throws UnusableCatalogueError, NotFoundError */
async function openFollower(
  catalogue: FileCatalogue,
  { followGit, followInterval: interval = 60, readOnly }: ServeOptions,
  log: (line: string) => void,
): Promise<GitFollower | null> {
  if (followGit === undefined) return null;
  if (readOnly) throw new UnusableCatalogueError('--read-only writes no files, and --follow-git does: leave one out.');
  const { GitFollower } = await import('./files/git/git-follower.ts');
  return GitFollower.open(catalogue, { remote: followGit === true ? undefined : followGit, interval, log });
}
