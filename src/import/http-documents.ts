/**
 * Documents of servers: fetched politely (one request a second to one host), kept on disk with their validators (RFC 9110,
 * section 13), and asked for again only if they changed. Within a run that was interrupted, what was fetched is used again,
 * and of a file that was interrupted, only the rest is fetched.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as undici from 'undici';
import { UnavailableError, UnreachableError, ValidationError } from '../catalogue/errors.ts';
import { makeClientFactory } from '../http/client-factory.ts';
import { assertPublicAddress, makeGuardedLookup } from './addresses.ts';
import { type Documents, maxDocument, type OpenDocument, type OpenOptions } from './documents.ts';
import { explainConnectionError, failureOf, redirectTarget, TransientError } from './http-failures.ts';
import { conditionsOf, forgetValidators, type Kept, readKept, removeUnusedDocuments } from './kept-documents.ts';
import {
  type AnswerHead,
  answerHead,
  findPart,
  isValidFor,
  type Part,
  rangeHeaders,
  removePart,
  storeBody,
  wholeSize,
} from './partial-download.ts';

export interface HttpDocumentsOptions {
  /** Folder for the documents. */
  readonly folder: string;
  /** Address of the source: other hosts must have public addresses. */
  readonly source: string;
  /** Least milliseconds between two requests to one host. */
  readonly interval: number;
  /** Milliseconds before the first retry; each further one waits twice as long. */
  readonly retryAfter?: number;
  /** Most bytes of a document. */
  readonly maxSize?: number;
  readonly signal?: AbortSignal | undefined;
  /** Clock and waiting; by default those of the system. */
  readonly clock?: Clock | undefined;
  /** Called with the number of bytes received of a document. */
  readonly onProgress?: ((address: string, bytes: number) => void) | undefined;
}

export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  /** @throws the signal's reason */
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

const maxRedirects = 10;
const maxAttempts = 5;
const maxWait = 120_000;
const timeout = 60_000;
/** Milliseconds: what an older run has fetched may be outdated, and is asked for again. */
const maxRunAge = 24 * 3_600_000;
/** Statuses of success whose body is not the document: it isn't made yet, the body is empty, or it is a part. */
const withoutDocument: ReadonlySet<number> = new Set([202, 204, 205, 206]);
const agent = 'dataset-catalogue (catalogue import)';

export class HttpDocuments implements Documents {
  readonly #options: HttpDocumentsOptions;
  /** Aborted by `close`: what still waits for a document ends. */
  readonly #closing = new AbortController();
  readonly #dispatcher: undici.Agent;
  /** Time of the last request by host. */
  readonly #lastRequests = new Map<string, number>();
  readonly #clock: Clock;
  #run = '';
  /** Paths of the documents that were opened, without extensions. */
  readonly #opened = new Set<string>();
  /** Numbers of requests, of answers 304, and of documents that an interrupted run had fetched. */
  readonly counts = { requests: 0, unchanged: 0, resumed: 0 };

  private constructor(options: HttpDocumentsOptions) {
    const { signal: closed } = this.#closing;
    this.#options = { ...options, signal: options.signal ? AbortSignal.any([options.signal, closed]) : closed };
    this.#clock = options.clock ?? { now: Date.now, wait };
    const lookup = makeGuardedLookup(new URL(options.source).hostname);
    this.#dispatcher = new undici.Agent({
      connect: { lookup: lookup as never },
      factory: makeClientFactory(undici),
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
  }

  /** Opens the documents of a source. A run that began in the last day and was not finished goes on. */
  static async open(options: HttpDocumentsOptions): Promise<HttpDocuments> {
    const documents = new HttpDocuments(options);
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const marker = join(options.folder, 'run');
    const started = await stat(marker).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const unfinished = Date.now() - started < maxRunAge ? await readFile(marker, 'utf8').catch(() => '') : '';
    documents.#run = unfinished || `${Date.now().toString(36)}-${process.pid}`;
    // Its time is that of the beginning of the run.
    if (!unfinished) await writeFile(marker, documents.#run);
    return documents;
  }

  /** Ends the run: the next one asks for every document again. Documents that are not used any more are deleted. */
  async finish(): Promise<void> {
    await rm(join(this.#options.folder, 'run'), { force: true });
    await removeUnusedDocuments(this.#options.folder);
  }

  /** Makes the next run ask without conditions for the documents that this one has opened: they were not what they should be. */
  async forgetValidators(): Promise<void> {
    for (const stem of this.#opened) await forgetValidators(stem);
  }

  /** Ends all requests, and those that wait for a turn or for another attempt. */
  async close(): Promise<void> {
    this.#closing.abort(new UnreachableError('The documents of the source are closed.'));
    await this.#dispatcher.destroy();
  }

  async open(url: string, { accept = '*/*', body, headers = {} }: OpenOptions = {}): Promise<OpenDocument> {
    const asked = [accept, url, ...(body === undefined ? [] : [body]), ...Object.entries(headers).flat()].join('\n');
    const stem = join(this.#options.folder, createHash('sha256').update(asked).digest('hex').slice(0, 32));
    this.#opened.add(stem);
    const kept = await readKept(stem);
    if (kept?.run === this.#run) {
      this.counts.resumed++;
      return this.#document(stem, kept);
    }
    for (let attempt = 1; ; attempt++) {
      try {
        // Conditions of a POST would be those of a change (RFC 9110, section 13.1).
        const known = body === undefined ? { kept, part: await findPart(stem) } : { kept: null, part: null };
        const answered = await this.#fetch(url, { ...headers, accept }, stem, known, body);
        const next: Kept =
          answered === 'unchanged' && kept
            ? { ...kept, run: this.#run }
            : { ...(answered as Omit<Kept, 'run' | 'url'>), url, run: this.#run };
        await writeFile(`${stem}.json`, JSON.stringify(next));
        return this.#document(stem, next);
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        if (!(error instanceof TransientError)) throw error;
        if (attempt >= maxAttempts) throw new UnreachableError(`${url}: ${error.message} (tried ${attempt} times)`);
        const pause = error.wait ?? (this.#options.retryAfter ?? 1000) * 2 ** (attempt - 1);
        if (pause > maxWait)
          throw new UnreachableError(
            `${url}: ${error.message}. It asks to wait ${Math.ceil(pause / 1000)} seconds: run the same command again then.`,
          );
        await this.#clock.wait(pause, this.#options.signal);
      }
    }
  }

  async #document(stem: string, { address, mediaType, charset, fileName }: Kept): Promise<OpenDocument> {
    const { size } = await stat(`${stem}.body`);
    const known = { ...(charset && { charset }), ...(fileName && { fileName }) };
    return { address, path: `${stem}.body`, mediaType, ...known, size };
  }

  /** Sends a request, and those of its redirects; stores the body of the answer. @throws TransientError, NotFoundError, ValidationError */
  async #fetch(
    url: string,
    headers: Record<string, string>,
    stem: string,
    { kept, part: begun }: { readonly kept: Kept | null; readonly part: Part | null },
    posted: string | undefined,
  ): Promise<Omit<Kept, 'run' | 'url'> | 'unchanged'> {
    let address = url;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const part = begun && isValidFor(begun.head, address) ? begun : null;
      const conditions = part ? rangeHeaders(part) : conditionsOf(kept, address);
      const response = await this.#request(address, { ...headers, ...conditions }, posted);
      const { statusCode, body } = response;
      const header = (name: string) => [response.headers[name]].flat()[0] ?? '';
      const whole = statusCode === 206 && part ? wholeSize(header, part) : null;
      if (part && whole !== null) {
        await this.#store(body, { ...part.head, address }, stem, { offset: part.size, wholeSize: whole });
        return keptHead({ ...part.head, address });
      }
      if (statusCode >= 200 && statusCode < 300 && !withoutDocument.has(statusCode)) {
        const head = answerHead(address, header);
        const isDelimited = Boolean(header('content-length') || header('transfer-encoding'));
        await this.#store(body, head, stem, { isDelimited });
        return keptHead(head);
      }
      await body.dump({ limit: 1024 * 1024 }).catch(() => {});
      if (statusCode === 304) {
        if (!conditions['if-none-match'] && !conditions['if-modified-since'])
          throw new TransientError('the server answered 304 (not modified) to a request without conditions');
        this.counts.unchanged++;
        return 'unchanged';
      }
      if (statusCode === 206 || (statusCode === 416 && part)) {
        await removePart(stem);
        throw new TransientError('the server sent another range than was asked for, or that of another file', 0);
      }
      const location = header('location');
      if (statusCode < 300 || statusCode >= 400 || !location)
        throw failureOf(address, statusCode, header('retry-after'));
      const target = redirectTarget(address, location);
      if (posted !== undefined && (![307, 308].includes(statusCode) || target.host !== new URL(address).host))
        throw new ValidationError({
          source: [`${address} redirects a search to ${target.href}. It was not followed.`],
        });
      address = target.href;
    }
    throw new ValidationError({ source: [`${url} redirects more than ${maxRedirects} times.`] });
  }

  /** Sends one request, when the host may be asked again. @throws ValidationError for an address that isn't public; TransientError */
  async #request(address: string, headers: Record<string, string>, posted: string | undefined) {
    assertPublicAddress(address, this.#options.source);
    await this.#waitForTurn(new URL(address).host);
    this.counts.requests++;
    const isPost = posted !== undefined;
    return undici
      .request(address, {
        dispatcher: this.#dispatcher,
        ...(isPost && { method: 'POST', body: posted }),
        headers: {
          ...headers,
          ...(isPost && { 'content-type': 'application/json' }),
          'user-agent': agent,
          'accept-encoding': 'gzip, deflate, br',
        },
        signal: this.#options.signal ?? null,
      })
      .catch((error: NodeJS.ErrnoException) => {
        if (error instanceof ValidationError) throw error;
        throw new TransientError(explainConnectionError(error));
      });
  }

  /**
   * Stores the body of an answer.
   * @param options.offset bytes that an interrupted download left
   * @throws TransientError if it broke off; ValidationError, UnavailableError
   */
  async #store(
    body: Readable,
    head: AnswerHead,
    stem: string,
    options: { readonly offset?: number; readonly wholeSize?: number; readonly isDelimited?: boolean },
  ): Promise<void> {
    const { maxSize = maxDocument, onProgress } = this.#options;
    try {
      await storeBody(body, head, stem, { maxSize, onProgress, ...options });
    } catch (error) {
      if (error instanceof ValidationError || error instanceof UnavailableError) throw error;
      throw new TransientError(`the answer broke off: ${(error as Error).message}`);
    }
  }

  /** Waits until the host may be asked again. */
  async #waitForTurn(host: string): Promise<void> {
    const { interval, signal } = this.#options;
    const now = this.#clock.now();
    const turn = Math.max(now, (this.#lastRequests.get(host) ?? Number.NEGATIVE_INFINITY) + interval);
    this.#lastRequests.set(host, turn);
    if (turn > now) await this.#clock.wait(turn - now, signal);
  }
}

/** The head without what only a download needs. */
const keptHead = ({ coding: _, validator: __, ...head }: AnswerHead) => head;

async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
