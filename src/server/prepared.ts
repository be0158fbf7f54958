/**
 * Prepared answers: bytes, their compressed forms and their ETag, kept by address. An answer knows what it shows. It is
 * sent as it is for as long as the catalogue is the same, and after a change for as long as what it shows is the same.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { namesTag } from './headers.ts';
import { type Coding, preferredCoding } from './negotiate.ts';

/** One form of an answer, ready to be written. */
interface Form {
  readonly body: Buffer;
  /** With its quotes; another one for each coding (RFC 9110, section 8.8.3.3). */
  readonly etag: string;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headers: readonly string[];
  readonly unmodified: readonly string[];
}

export interface Prepared {
  /** The moment at which the answer was last found to be right. */
  moment: number;
  /** What the answer shows: it is right as long as these are the same. */
  readonly parts: readonly unknown[];
  readonly forms: { [C in Coding]?: Form };
  readonly headers: readonly (readonly [string, string])[];
  /** The name of the route that made it. */
  readonly route: string;
}

const compressors: { readonly [C in Exclude<Coding, 'identity'>]: (body: Buffer) => Promise<Buffer> } = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 6 }),
};

/** Below this size (in bytes) compression saves nothing worth having. */
const worthCompressing = 400;

/** The validator of a body: the same bytes, the same tag. Without quotes. */
export const tagOf = (body: string | Buffer): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, 27);

/** Makes an answer ready in its plain form. */
export function prepare(
  moment: number,
  parts: readonly unknown[],
  body: string | Buffer,
  headers: readonly (readonly [string, string])[],
  route = '',
): Prepared {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const tag = tagOf(bytes);
  return { moment, parts, headers, route, forms: { identity: formOf(bytes, tag, 'identity', headers) } };
}

function formOf(body: Buffer, tag: string, coding: Coding, common: Prepared['headers']): Form {
  const etag = coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`;
  const lasting = [...common, ['ETag', etag] as const];
  const headers = [...lasting, ['Content-Length', String(body.length)] as const];
  if (coding !== 'identity') headers.push(['Content-Encoding', coding] as const);
  const unmodified = lasting.filter(([name]) => name !== 'Content-Type');
  return { body, etag, headers: headers.flat(), unmodified: unmodified.flat() };
}

/** The form that a client takes; it is made when it is first asked for. */
export async function formFor(prepared: Prepared, acceptEncoding: string | undefined): Promise<Form> {
  const plain = prepared.forms.identity as Form;
  const coding = plain.body.length < worthCompressing ? 'identity' : preferredCoding(acceptEncoding);
  const ready = prepared.forms[coding];
  if (ready || coding === 'identity') return ready ?? plain;
  const form = formOf(await compressors[coding](plain.body), plain.etag.slice(1, -1), coding, prepared.headers);
  prepared.forms[coding] = form;
  return form;
}

/** Writes an answer: whole, without its body to HEAD, or as "not modified" to one who reads. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  form: Form,
  status = 200,
  more?: readonly string[],
): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const condition = reads ? request.headers['if-none-match'] : undefined;
  if (condition !== undefined && namesTag(condition, form.etag)) {
    response.writeHead(304, (more ? [...form.unmodified, ...more] : form.unmodified) as string[]).end();
  } else {
    response.writeHead(status, (more ? [...form.headers, ...more] : form.headers) as string[]);
    response.end(request.method === 'HEAD' ? undefined : form.body);
  }
}

/** Prepared answers by address, at most so many bytes of them: the least recently used go first. */
export class PreparedAnswers {
  readonly #answers: LRUCache<string, Prepared>;
  #revision: object | undefined;
  #moment = 0;

  /** @param bytes how much may be kept */
  constructor(bytes = 64 * 1024 * 1024) {
    this.#answers = new LRUCache({
      maxSize: bytes,
      // Compressed forms come later and are smaller: twice the plain size covers all three, and the key and headers.
      sizeCalculation: (prepared, key) => 2 * (prepared.forms.identity?.body.length ?? 0) + key.length + 2000,
    });
  }

  /**
   * Counts the catalogue's revisions. An answer remembers the number and not the revision, which would keep a whole
   * catalogue of the past in memory for as long as the answer is kept.
   */
  momentOf(revision: object): number {
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#moment++;
    }
    return this.#moment;
  }

  get(key: string): Prepared | undefined {
    return this.#answers.get(key);
  }

  set(key: string, prepared: Prepared): void {
    this.#answers.set(key, prepared);
  }

  /**
   * Answers at once what was asked before and has not changed since: the hot path, in front of everything else.
   * @param more headers of this answer alone
   * @returns what it answered with
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    revision: object,
    more?: readonly string[],
  ): Prepared | undefined {
    const key = keyOf(request);
    const prepared = key === null ? undefined : this.#answers.get(key);
    if (!prepared || prepared.moment !== this.momentOf(revision)) return undefined;
    const plain = prepared.forms.identity as Form;
    const { 'accept-encoding': accepted } = request.headers;
    const coding = plain.body.length < worthCompressing ? 'identity' : preferredCoding(accepted);
    const form = prepared.forms[coding];
    if (!form) return undefined;
    send(request, response, form, 200, more);
    return prepared;
  }
}

/**
 * What decides about an answer, in one string: the address, the type asked for, and the host that links name.
 * @returns null where the answer may be another for each who asks
 */
export function keyOf(request: IncomingMessage): string | null {
  const { headers, method } = request;
  if ((method !== 'GET' && method !== 'HEAD') || headers.authorization !== undefined || headers.cookie !== undefined)
    return null;
  const proxied = headers['x-forwarded-host'] || headers['x-forwarded-proto'];
  const origin = proxied ? `${headers['x-forwarded-proto']} ${headers['x-forwarded-host']}` : '';
  return `${request.url}\n${headers.accept ?? ''}\n${headers.host ?? ''}\n${origin}`;
}
