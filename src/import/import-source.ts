/** An import: the records of a source become datasets of a namespace. The same source again updates them. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { excerpt, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import type { DatasetRef } from '../catalogue/ref.ts';
import { slugify } from '../catalogue/slug.ts';
import { removeAbandonedTemporaries } from '../disk/durable.ts';
import { withLockFile } from '../disk/lock.ts';
import { inheritOwnerOfTree } from '../disk/owner.ts';
import { BroughtFiles, type BroughtSoFar } from './bring-files.ts';
import type { ListLayers, UnpackTable } from './data-files.ts';
import type { SourceFormat } from './detect.ts';
import { type Documents, localDocuments } from './documents.ts';
import { HttpDocuments } from './http-documents.ts';
import type { Skipped, SourceItem } from './imported.ts';
import { isHttpAddress } from './links.ts';
import { readHttpSource } from './read-http-source.ts';
import { readLocalSource } from './read-local-source.ts';
import { DatasetWriter, type KeptByHand, type Written } from './write-datasets.ts';

export interface ImportRequest {
  /** URL, or path of a file or folder. */
  readonly source: string;
  /** Slug of the namespace; default: derived from the source. */
  readonly namespace?: string | undefined;
  readonly format?: SourceFormat | undefined;
  readonly dryRun?: boolean | undefined;
  /** True to bring the files and take them in as versions. */
  readonly withData?: boolean | undefined;
  /** Seconds between two requests to one host. */
  readonly delay?: number | undefined;
}

export interface ImportEnvironment {
  readonly catalogue: Catalogue;
  /** Folder for documents of servers between two runs. */
  readonly cacheFolder: string;
  readonly cwd: string;
  /** Names the tables of a local file; empty if it has one. */
  readonly listLayers?: ListLayers | undefined;
  /** Unpacks tables of ZIP archives; without it, archives are brought as they are. */
  readonly unpackTable?: UnpackTable | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of records so far, and the number of all if it is known. */
  readonly onRecords?: ((done: number, total: number | null) => void) | undefined;
  /** Called with the number of files taken in, and of all; and with the bytes received of the next one. */
  readonly onFiles?: ((done: number, total: number, bytes: number) => void) | undefined;
}

export interface ImportResult extends Readonly<BroughtSoFar> {
  readonly source: string;
  /** By its present name, if it was renamed. */
  readonly namespace: string;
  readonly created: readonly Written[];
  readonly updated: readonly Written[];
  readonly unchanged: number;
  /** Datasets with fields that people wrote by hand. */
  readonly kept: readonly KeptByHand[];
  readonly skipped: readonly Skipped[];
  /** Datasets that were taken without some of what the source says of them, and what is missing. */
  readonly shortened: readonly Skipped[];
  /** Datasets of this source that it doesn't have any more; none if its list was not read to the end. They stay. */
  readonly missing: readonly DatasetRef[];
  /** Requests to servers, and answers that nothing has changed. */
  readonly requests: number;
  readonly unchangedDocuments: number;
}

/** Age in milliseconds from which a temporary file is abandoned, if its writer can't be known. */
const aDay = 24 * 3_600_000;

/**
 * Imports a source.
 * @throws NotFoundError, UnreachableError, ValidationError if the source can't be read at all; UnavailableError while another
 *   import of it runs; the signal's reason
 */
export async function importSource(request: ImportRequest, environment: ImportEnvironment): Promise<ImportResult> {
  assertIsSource(request.source);
  const from = addressOfSource(request.source);
  const { cacheFolder, signal } = environment;
  const folder = `${cacheFolder}/${createHash('sha256').update(from).digest('hex').slice(0, 16)}`;
  // Two imports would mix what they fetch into the same files.
  return await withLockFile(
    folder,
    from,
    (lost) =>
      importInto(folder, from, request, { ...environment, signal: signal ? AbortSignal.any([signal, lost]) : lost }),
    { wait: 0, busy: (holder) => `Another import of ${from} runs: ${holder}. Start this one when it has ended.` },
    () => mkdir(cacheFolder, { recursive: true, mode: 0o700 }),
  ).finally(() => inheritOwnerOfTree(cacheFolder));
}

/** @param folder for documents of the source between two runs */
async function importInto(
  folder: string,
  from: string,
  request: ImportRequest,
  environment: ImportEnvironment,
): Promise<ImportResult> {
  const namespace = request.namespace ?? (slugify(nameOfSource(from)) || 'imported');
  const { catalogue, signal, cwd } = environment;
  /** That of a local source. */
  const path = resolve(cwd, request.source);
  let files: BroughtFiles | undefined;
  const http = isHttpAddress(from)
    ? await HttpDocuments.open({
        folder,
        source: from,
        interval: (request.delay ?? 1) * 1000,
        signal,
        onProgress: (_, bytes) => files?.onBytes(bytes),
      })
    : null;
  /** Errors of requests. After them, the next run goes on with what was fetched. */
  const unfetched = new WeakSet<Error>();
  /** True once the records are read, and files follow. */
  let isRead = false;
  await removeAbandonedTemporaries(folder, aDay);
  try {
    const documents = http ? notingFailures(http, unfetched) : localDocuments(path);
    const target = { namespace, label: nameOfSource(from), from, dryRun: request.dryRun ?? false };
    const writer = await DatasetWriter.open(catalogue, target);
    const state = {
      documents,
      format: request.format,
      seen: new Set<string>(),
      listed: new Map<string, SourceItem>(),
      found: new Set<string>(),
      packages: { ids: new Set<string>(), count: 0 },
      listLayers: environment.listLayers ?? (async () => []),
    };
    const items = http
      ? readHttpSource(addressToRead(request.source), { ...state, folder: null })
      : readLocalSource(path, state);
    const unpacking = environment.unpackTable && { unpackTable: environment.unpackTable, folder };
    const { dryRun = false } = request;
    const { onFiles } = environment;
    files = new BroughtFiles({
      ...{ catalogue, documents, isRemote: http !== null, dryRun, signal, onFiles },
      unpack: unpacking,
    });
    const isComplete = await takeItems(items, writer, files, request, environment);
    if (!isComplete) await http?.forgetValidators();
    isRead = true;
    const brought = await files.bring((ref) => writer.isRefused(ref));
    if (!request.dryRun) await http?.finish();
    return {
      source: from,
      namespace: writer.namespace,
      ...writer.outcome,
      missing: isComplete ? writer.missing() : [],
      ...brought,
      requests: http?.counts.requests ?? 0,
      unchangedDocuments: http?.counts.unchanged ?? 0,
    };
  } catch (error) {
    // What was fetched can't be read, or leads to a document that is gone: the next run asks for it again. The server may soon
    // have the right document under the same ETag: a broken one is asked for as a whole.
    const isBroken = error instanceof ValidationError && !unfetched.has(error);
    if (isBroken && !isRead) await http?.forgetValidators();
    if (error instanceof NotFoundError || isBroken) await http?.finish();
    throw error;
  } finally {
    await http?.close();
  }
}

/** Documents whose errors are added to `failures`. */
const notingFailures = (documents: Documents, failures: WeakSet<Error>): Documents => ({
  open: (...given) =>
    documents.open(...given).catch((error) => {
      failures.add(error);
      throw error;
    }),
});

/** Takes in the datasets of a source, and plans their files. @returns false if the source has others that could not be read */
async function takeItems(
  items: AsyncIterable<SourceItem>,
  writer: DatasetWriter,
  files: BroughtFiles,
  { withData }: ImportRequest,
  { signal, onRecords }: ImportEnvironment,
): Promise<boolean> {
  let total: number | null = null;
  let done = 0;
  let isComplete = true;
  try {
    for await (const item of readAhead(items, (one) => 'dataset' in one && writer.expect(one.dataset))) {
      signal?.throwIfAborted();
      if ('total' in item) {
        total = (total ?? 0) + item.total;
        continue;
      }
      if ('skipped' in item) {
        writer.refuse(item.skipped, item.id);
        if (item.isIncomplete) isComplete = false;
      } else {
        const added = await writer.add(item.dataset);
        if (added && (withData || item.dataset.isDataFile)) files.plan(added, item.dataset);
      }
      onRecords?.(++done, total);
    }
  } finally {
    // What was read before an error or Ctrl-C is kept.
    await writer.flush();
  }
  return isComplete;
}

/** Items of a source that are read before the one that is taken in: a remote is asked about as many datasets at the same time. */
const itemsAhead = 8;

/**
 * Items in their order, of which some are read ahead.
 * @param onRead called with an item as soon as it is read
 */
async function* readAhead<T>(items: AsyncIterable<T>, onRead: (item: T) => unknown): AsyncGenerator<T, void> {
  const iterator = items[Symbol.asyncIterator]();
  const ahead: Promise<IteratorResult<T>>[] = [];
  const read = async () => {
    const next = await iterator.next();
    if (!next.done) onRead(next.value);
    return next;
  };
  try {
    for (;;) {
      while (ahead.length < itemsAhead) {
        const next = read();
        // The error is thrown when its turn comes, after the items before it.
        next.catch(() => {});
        ahead.push(next);
      }
      const next = await ahead.shift();
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    // Without waiting for what is being read: the documents are closed.
    iterator.return?.().catch(() => {});
  }
}

/** @throws ValidationError for nothing, for an address that is incomplete, and for one of another kind */
function assertIsSource(source: string): void {
  const given = excerpt(JSON.stringify(source));
  const example = 'such as https://data.example.org, or the path of a file or folder';
  if (source.trim() === '') throw new ValidationError({ source: [`Name the source: its address, ${example}.`] });
  if (isHttpAddress(source) && !URL.canParse(source))
    throw new ValidationError({ source: [`${given} is no complete address. Give one ${example}.`] });
  const { username = '', password = '' } = isHttpAddress(source) ? new URL(source) : {};
  if (username || password)
    throw new ValidationError({
      source: [
        'The address has a user name or a password in it, which are not sent. Leave them out; what needs them, save as a file, and import that.',
      ],
    });
  if (!isHttpAddress(source) && /^[a-z][a-z0-9+.-]+:\/\//i.test(source))
    throw new ValidationError({ source: [`${given} is no address of http or https. Give one ${example}.`] });
}

/** The address that records keep: a URL without fragment and final slash, or the name of a file or folder. */
function addressOfSource(source: string): string {
  if (!isHttpAddress(source)) return resolve(source).split(/[\\/]/).at(-1) ?? source;
  return addressToRead(source).replace(/\/+$/, '');
}

/** The address that is fetched: with its final slash, on which relative links depend. */
function addressToRead(source: string): string {
  const url = new URL(source);
  url.hash = '';
  return url.href;
}

/** The name of a source for people: its host, or the name of its file. */
function nameOfSource(from: string): string {
  if (isHttpAddress(from)) return new URL(from).hostname.replace(/^www\./, '').replace(/\./g, '-');
  return (
    from
      .replace(/\.(?:data\.)?(?:json|jsonl|ndjson|ya?ml|ttl|xml|gz|zip)+(?:\.gz)?$/i, '')
      .replace(/\.(?:csv|tsv|geojson|parquet|xls[xm]|gpkg|fgb|km[lz]|gpx)$/i, '') || from
  );
}
