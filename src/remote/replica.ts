/** The files of a remote catalogue: `/api/v1/files/`. */
import { Readable } from 'node:stream';
import { ConflictError, NotFoundError, StaleError, UnreachableError } from '../catalogue/errors.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import type {
  ChangeOutcome,
  Digests,
  FileBytes,
  FileEntry,
  Manifest,
  RecordChange,
  Replica,
  TimelineQuestion,
} from '../catalogue/replica.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { answers } from './answers.ts';
import type { Http } from './http.ts';
import { parseJsonResponse, passWithProgress, readLines, readResponseText } from './http-body.ts';
import { responseError } from './response-errors.ts';
import { parseUntrustedJson, unexpectedResponseFieldError, valueOfShape } from './shapes.ts';
import { writeQuery } from './write.ts';

const root = `${apiRoot}files/`;
/** In characters: the digests of the most groups are shorter. */
const maxDigests = 1024 * 1024;

/** URL path of a file. @throws NotFoundError if no file can have the name */
function filePath(path: string): string {
  try {
    if (path !== '') return `${root}${path.split('/').map(encodeURIComponent).join('/')}`;
  } catch {
    // A lone surrogate, which no file name has.
  }
  throw new NotFoundError();
}

export class RemoteReplica implements Replica {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async manifest(options: Parameters<Replica['manifest']>[0] = {}): Promise<Manifest | null> {
    const { texts = false, groups } = options;
    const query: [string, string][] = texts ? [['texts', 'true']] : [];
    if (groups) query.push(['groups', String(groups.count)], ['only', groups.only.join()]);
    const found = await this.#list(query, options);
    return found && { tag: found.tag, entries: readEntries(found.body, this.#http.base) };
  }

  async digests(
    count: number,
    options: Parameters<Replica['digests']>[1] = {},
  ): Promise<Digests | 'unsupported' | null> {
    const found = await this.#list([['groups', String(count)]], options);
    if (!found) return null;
    // An older server ignores the parameter and lists all files.
    if (!/^application\/json\b/.test(found.mediaType)) {
      found.body.destroy();
      return 'unsupported';
    }
    const text = await readResponseText(found.body, maxDigests);
    const value = parseJsonResponse(text, `${this.#http.base}${root}`);
    const { digests } = valueOfShape(answers.digests, value);
    if (digests.length !== count) throw unexpectedResponseFieldError('digests');
    return { tag: found.tag, digests };
  }

  /** A representation of the list of files; null if the known manifest is still valid. */
  async #list(
    query: readonly (readonly [string, string])[],
    { known, timeline, signal }: NonNullable<Parameters<Replica['digests']>[1]>,
  ) {
    const since = timeline?.since ?? null;
    const { status, headers, body } = await this.#http.request({
      path: root,
      query,
      signal,
      headers: {
        'accept-encoding': 'gzip',
        ...(known !== undefined && { 'if-none-match': `"${known}"` }),
        ...(since !== null && { 'x-catalogue-since': since }),
      },
    });
    answerTimeline(timeline, headers);
    if (status === 304) {
      body.resume();
      return null;
    }
    // The ETag of the compressed representation ends in its coding.
    const tag = (headers.etag ?? '').replaceAll('"', '').replace(/-gzip$/, '');
    return { tag, mediaType: headers['content-type'] ?? '', body };
  }

  async entry(path: string): Promise<FileEntry> {
    const { headers, body } = await this.#http.request({ method: 'HEAD', path: filePath(path) });
    body.resume();
    const mediaType = headers['content-type'];
    const record = /^(?:application\/yaml|application\/json)\b/.test(mediaType ?? '') && !isBytesPath(path);
    return {
      path,
      checksum: (headers.etag ?? '').replaceAll('"', ''),
      size: Number(headers['content-length']),
      record,
      ...(!record && mediaType !== undefined && { mediaType }),
    };
  }

  async read(path: string, options: Parameters<Replica['read']>[1] = {}): Promise<Readable> {
    const { checksum, start = 0, end, signal } = options;
    const headers = {
      ...(checksum !== undefined && { 'if-match': `"${checksum}"` }),
      ...((start > 0 || end !== undefined) && { range: `bytes=${start}-${end ?? ''}` }),
    };
    const response = await this.#http.request({ path: filePath(path), headers, signal }).catch((error) => {
      throw error instanceof StaleError ? new ConflictError(error.message) : error;
    });
    if (headers.range && response.status !== 206) {
      response.body.destroy();
      throw new UnreachableError(
        `${new URL(this.#http.base).host} doesn't support range requests: the download can't be continued.`,
      );
    }
    return response.body;
  }

  async apply(
    changes: readonly RecordChange[],
    { dryRun, signal }: Parameters<Replica['apply']>[1] = {},
  ): Promise<readonly ChangeOutcome[]> {
    const request = {
      method: 'PATCH',
      path: root,
      query: writeQuery(dryRun),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changes),
      signal,
    } as const;
    const { value } = await this.#http.requestJson(request, answers.outcomes);
    return value.map(({ path, status, ...rest }: { path: string; status: number; errors?: unknown }) => {
      if (status < 300) return { path, done: true };
      const text = JSON.stringify(rest.errors ?? rest);
      return {
        path,
        done: false,
        error: responseError({ status, headers: {}, text, url: `${this.#http.base}${root}` }),
      };
    });
  }

  async put(path: string, { source, checksum, size, onProgress, signal }: FileBytes): Promise<void> {
    const digest = Buffer.from(checksum, 'hex').toString('base64');
    const { body } = await this.#http.request({
      method: 'PUT',
      path: filePath(path),
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'repr-digest': `sha-256=:${digest}:`,
      },
      body: Readable.from(passWithProgress(source(), onProgress), { objectMode: false }),
      signal,
    });
    body.resume();
  }
}

/** Answers from the headers of a response; older servers, and those that follow a git remote, send none. */
function answerTimeline(question: TimelineQuestion | undefined, headers: Readonly<Record<string, string>>): void {
  const { 'x-catalogue-timeline': point = '', 'x-catalogue-continues': continues } = headers;
  if (/^[\w.-]{1,100}$/.test(point)) question?.onAnswer({ point, hasPoint: continues !== 'false' });
}

/** In characters, for all paths of a manifest: some millions of files. All of them are kept in memory. */
const maxPaths = 500_000_000;
/** Counted for each path in addition: that of a checksum. */
const checksumLength = 64;

async function* readEntries(body: Readable, base: string): AsyncGenerator<FileEntry, void, undefined> {
  let length = 0;
  for await (const line of readLines(body)) {
    let value: unknown;
    try {
      value = parseUntrustedJson(line);
    } catch (error) {
      throw error instanceof SyntaxError ? notReplica(base) : error;
    }
    const { path, checksum, size, record, text } = valueOfShape(answers.manifestEntry, value);
    length += path.length + checksumLength;
    if (length > maxPaths) throw new UnreachableError(`${base} lists more files than can be kept in memory.`);
    yield { path, checksum, size, record: record ?? false, ...(typeof text === 'string' && { text }) };
  }
}

const notReplica = (base: string) =>
  new UnreachableError(`${base} doesn't offer the files of its catalogue. Is its version older than this one?`);
