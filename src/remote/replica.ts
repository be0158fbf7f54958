/** The files of a catalogue elsewhere: what `/api/v1/files/` shows and takes. */

import { Readable } from 'node:stream';
import { ConflictError, NotFoundError, StaleError, UnreachableError } from '../catalogue/errors.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import type { ChangeOutcome, FileBytes, FileEntry, Manifest, RecordChange, Replica } from '../catalogue/replica.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { counted, linesOf } from './bytes.ts';
import type { Http } from './http.ts';
import { refusedWith } from './refusals.ts';

const root = `${apiRoot}files/`;

function pathOf(path: string): string {
  try {
    if (path !== '') return `${root}${path.split('/').map(encodeURIComponent).join('/')}`;
  } catch {
    // Half of a character: no file has such a name.
  }
  throw new NotFoundError();
}

export class RemoteReplica implements Replica {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async manifest({ known, texts = false }: Parameters<Replica['manifest']>[0] = {}): Promise<Manifest | null> {
    const { status, headers, body } = await this.#http.ask({
      path: root,
      query: texts ? [['texts', 'true']] : [],
      headers: { 'accept-encoding': 'gzip', ...(known !== undefined && { 'if-none-match': `"${known}"` }) },
    });
    if (status === 304) {
      body.resume();
      return null;
    }
    // The form that was packed has the coding behind its tag.
    const tag = (headers.etag ?? '').replaceAll('"', '').replace(/-gzip$/, '');
    return { tag, entries: entriesIn(body, this.#http.base) };
  }

  async entry(path: string): Promise<FileEntry> {
    const { headers, body } = await this.#http.ask({ method: 'HEAD', path: pathOf(path) });
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
    const { checksum, start = 0, end } = options;
    const headers = {
      ...(checksum !== undefined && { 'if-match': `"${checksum}"` }),
      ...((start > 0 || end !== undefined) && { range: `bytes=${start}-${end ?? ''}` }),
    };
    const answer = await this.#http.ask({ path: pathOf(path), headers }).catch((error) => {
      throw error instanceof StaleError ? new ConflictError(error.message) : error;
    });
    if (headers.range && answer.status !== 206) {
      answer.body.destroy();
      throw new UnreachableError(
        `${new URL(this.#http.base).host} sends whole files only: what broke off can't go on.`,
      );
    }
    return answer.body;
  }

  async apply(changes: readonly RecordChange[]): Promise<readonly ChangeOutcome[]> {
    const { value } = await this.#http.json({
      method: 'PATCH',
      path: root,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    });
    if (!Array.isArray(value)) throw strange(this.#http.base);
    return value.map((outcome) => {
      const { path, status, ...rest } = Object(outcome);
      if (!Number.isInteger(status)) throw strange(this.#http.base);
      if (status < 300) return { path, done: true };
      const text = JSON.stringify(rest.errors ?? rest);
      return { path, done: false, error: refusedWith({ status, headers: {}, text, url: `${this.#http.base}${root}` }) };
    });
  }

  async put(path: string, { source, checksum, size, onProgress, signal }: FileBytes): Promise<void> {
    const digest = Buffer.from(checksum, 'hex').toString('base64');
    const { body } = await this.#http.ask({
      method: 'PUT',
      path: pathOf(path),
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'repr-digest': `sha-256=:${digest}:`,
      },
      body: Readable.from(counted(source(), onProgress), { objectMode: false }),
      signal,
    });
    body.resume();
  }
}

async function* entriesIn(body: Readable, base: string): AsyncGenerator<FileEntry, void, undefined> {
  for await (const line of linesOf(body)) {
    let entry: FileEntry;
    try {
      entry = JSON.parse(line);
    } catch {
      throw strange(base);
    }
    if (!isEntry(entry)) throw strange(base);
    yield entry;
  }
}

function isEntry(value: unknown): value is FileEntry {
  const { path, checksum, size } = Object(value);
  const isSum = typeof checksum === 'string' && /^(?:[0-9a-f]{64})?$/.test(checksum);
  return typeof path === 'string' && isSum && Number.isSafeInteger(size) && size >= 0;
}

const strange = (base: string) =>
  new UnreachableError(
    `${base} is no catalogue of this kind: its files can't be had. Is its version older than this one?`,
  );
