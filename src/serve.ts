/** The entry point that serves the catalogue of a folder over HTTP. */

import { readFileSync } from 'node:fs';
import { noCredentialsWarning } from './catalogue/accounts.ts';
import { UnusableCatalogueError } from './catalogue/errors.ts';
import { anonymous } from './catalogue/permissions.ts';
import { type IngestLimits, IngestPool } from './data/ingest/ingest-pool.ts';
import { WorkerPool } from './data/worker-pool.ts';
import { mostOpenFiles } from './disk/open-files.ts';
import { type FileCatalogue, openFileCatalogue } from './files/file-catalogue.ts';
import type { GitFollower } from './files/git/git-follower.ts';
import { assertObjectStore } from './files/payloads/object-store.ts';
import { createApp } from './server/app.ts';
import { respondWhileStarting } from './server/health.ts';
import { growHeapForStart, settleHeap } from './server/heap-settling.ts';
import { limitsWithin } from './server/limits.ts';
import { listenForRequests } from './server/listen.ts';
import { createServerLog, type LogFormat } from './server/log.ts';
import { startMetrics } from './server/metrics.ts';
import { loadFormParser } from './server/multipart.ts';
import { listenerWithPosition } from './server/position.ts';
import { loadTurtle } from './server/standards.ts';
import type { WorkBudgetOptions } from './server/work-budgets.ts';
import { loadPackagesForWriting } from './text/packages.ts';

/**
 * Milliseconds without a request, after the start, until large packages are loaded: neither the start waits for them, nor a request
 * of another client, since loading takes some 50 ms at once. A request that needs them earlier loads them itself.
 */
const quietTime = 2000;

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
  const catalogue = await openFileCatalogue(folder, {
    readOnly,
    followsGit: options.followGit !== undefined,
    log,
    ingest: pool.ingest,
    workers,
    // Not before: with another flag than when it was built, Node compiles its own modules again in each thread (decision 0136).
    onThreadsRun: growHeapForStart,
  });
  const follower = await openFollower(catalogue, options, log);
  // The port is opened first: requests get 503 while the files are being read.
  const listening = await listenForRequests(respondWhileStarting, host, port, limitsWithin(mostOpenFiles()), log);
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
  const health = () => healthOf(catalogue, follower);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { webhookSecret: secret } = options;
  const gitUpdates = follower && secret ? { secret, start: () => void follower.update() } : null;
  const reading = { readOnly: readOnly || follower !== null, gitUpdates };
  const appOptions = { accounts, baseUrl, version, health, log, onResponse, metrics, work, ...reading };
  const app = createApp((viewer) => catalogue.for(viewer), appOptions);
  // What everybody may see is found out now: the first request would wait for it, and all others with it.
  void catalogue.for(anonymous).revision;
  if (!reading.readOnly) loadPackagesForWriting();
  const closing = new AbortController();
  const quiet = runWhenQuiet(() => {
    // If a package can't be loaded, the request that needs it says so.
    loadPackages(reading).catch(() => {});
    void checkObjectStore(catalogue, log, closing.signal);
  });
  const listener = follower ? listenerWithPosition(app, follower) : app;
  listening.setListener((request, response) => {
    quiet.noteRequest();
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
      quiet.end();
      closing.abort();
      await listening.close();
      settling.end();
      await pool.close();
      await follower?.close();
      await catalogue.close();
      await workers.close();
    },
  };
}

/** What the health of a server shows besides that it answers. @throws UnavailableError if the folder is no catalogue any more */
function healthOf(catalogue: FileCatalogue, follower: GitFollower | null) {
  catalogue.assertPresent();
  const { snapshot, commits } = catalogue;
  const { made, failed } = commits;
  return {
    ...(snapshot.settings.git.commit && { commits: { made, failed } }),
    ...(follower && { git: follower.report }),
  };
}

/** Logs if the object store of payloads can't be used. */
async function checkObjectStore(
  { snapshot }: FileCatalogue,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { payloads } = snapshot.settings;
  if (!payloads.store) return;
  await assertObjectStore(payloads, signal).catch((error) => {
    if (!signal.aborted) log(`${payloads.store}: ${error.message} See: catalogue doctor`);
  });
}

/** Runs a function once, when there was no request for a while. */
function runWhenQuiet(run: () => void) {
  let lastRequest = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - lastRequest < quietTime) return;
    clearInterval(timer);
    run();
  }, quietTime).unref();
  return {
    noteRequest() {
      lastRequest = performance.now();
    },
    end: () => clearInterval(timer),
  };
}

/** Loads large packages that requests need: RDF, and forms if there are writes. */
async function loadPackages({ readOnly }: { readonly readOnly: boolean }): Promise<void> {
  await loadTurtle();
  if (!readOnly) await loadFormParser();
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
