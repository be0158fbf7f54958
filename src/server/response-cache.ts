/**
 * The response cache: bytes, their compressed variants and their ETag, by address. A cached response lists the objects that it
 * depends on. While the catalogue's revision is the same, a cached response is sent without a check; after a change, as long as
 * the objects that it depends on are the same.
 */
import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http';
import { LRUCache } from 'lru-cache';
import { StaleError } from '../catalogue/errors.ts';
import { languageForTag } from '../pages/locale.ts';
import { compressBody } from './compress.ts';
import { encodedEtag, etagMatches, etagOf } from './etags.ts';
import { type Headers, mayIdentify } from './headers.ts';
import { type Coding, preferredCoding, preferredLanguages } from './negotiate.ts';
import { ownBytes } from './own-bytes.ts';
import { addressedHost } from './request.ts';

/** A response in one content coding, ready to be sent. */
export interface Variant {
  readonly body: Buffer;
  /** With its quotes; a different one for each coding (RFC 9110, section 8.8.3.3). */
  readonly etag: string;
  /** Headers of 200: names and values in turn, as `writeHead` takes them. */
  readonly headers: readonly string[];
  /** Headers of 304. */
  readonly notModifiedHeaders: readonly string[];
}

export interface CachedResponse {
  /** The latest epoch in which the response was found to be valid. */
  epoch: number;
  /** Time of `performance.now` from which it is compared again with what it depends on, whatever the epoch. */
  freshUntil: number;
  /** True if the handler answers HEAD by itself. */
  isForGetOnly: boolean;
  /** The response is valid as long as these are the same objects. */
  readonly dependsOn: readonly unknown[];
  /** The validator of the uncompressed body, without quotes. */
  readonly tag: string;
  /** True if the body may differ in what doesn't matter to clients, such as a time, for the same tag (RFC 9110, section 8.8.1). */
  readonly isWeak: boolean;
  /** By content coding; compressed variants are added when they are first asked for. */
  readonly variants: { readonly identity: Variant } & { [C in Coding]?: Variant };
  readonly headers: Headers;
  /** Name of the route that made it. */
  readonly route: string;
}

/** Size in bytes from which a body is compressed. */
const leastCompressed = 400;
/** The same for the response to a write, which is sent once, and not kept. */
const leastCompressedOnce = 16 * 1024;

/**
 * A response with its uncompressed variant.
 * @param validator of the body; by default its hash, which is a strong one
 * @throws TypeError if a header has characters that HTTP doesn't have: nothing was sent, and nothing is kept
 */
export function makeCachedResponse(
  epoch: number,
  dependsOn: readonly unknown[],
  body: string | Uint8Array,
  headers: Headers,
  route = '',
  validator?: { readonly tag: string; readonly isWeak: boolean },
): CachedResponse {
  for (const [name, value] of headers) validateHeaderValue(name, value);
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { tag, isWeak } = validator ?? { tag: etagOf(bytes), isWeak: false };
  return {
    epoch,
    freshUntil: Number.POSITIVE_INFINITY,
    isForGetOnly: false,
    dependsOn,
    headers,
    route,
    tag,
    isWeak,
    variants: { identity: makeVariant(bytes, { tag, isWeak, headers }, 'identity') },
  };
}

function makeVariant(
  body: Buffer,
  { tag, isWeak, headers: common }: Pick<CachedResponse, 'tag' | 'isWeak' | 'headers'>,
  coding: Coding,
): Variant {
  const etag = encodedEtag(tag, coding, isWeak);
  const validated = [...common, ['ETag', etag] as const];
  const headers = [...validated, ['Content-Length', String(body.length)] as const];
  if (coding !== 'identity') headers.push(['Content-Encoding', coding] as const);
  const notModified = validated.filter(([name]) => name !== 'Content-Type');
  return { body: ownBytes(body), etag, headers: headers.flat(), notModifiedHeaders: notModified.flat() };
}

/** Adds a variant to a response, unless it has that one. @param body the encoded body */
export function addVariant(response: CachedResponse, coding: Coding, body: Buffer): Variant {
  if (coding === 'identity') return response.variants.identity;
  response.variants[coding] ??= makeVariant(body, response, coding);
  return response.variants[coding];
}

const noBytes = Buffer.alloc(0);

/** ETags of variants by the random ETags with which the same bytes were sent before their hash was known. */
const etagsOfBytes = new LRUCache<string, string>({ max: 5000 });

/** Notes that bytes were sent with a random ETag: conditions that name it are met as long as the bytes are the same. */
export const noteRandomEtag = (random: string, etag: string): void => void etagsOfBytes.set(random, etag);

/** The ETag of a condition that names a variant, by its own ETag or a random one; undefined if none does. */
function matchingEtag(condition: string, { etag }: Variant): string | undefined {
  if (etagMatches(condition, etag)) return etag;
  const tags = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.find((tag) => etagsOfBytes.get(tag) === etag);
}

/** The coding of the variant for a client. */
function codingFor({ variants }: CachedResponse, acceptEncoding: string | undefined): Coding {
  return variants.identity.body.length < leastCompressed ? 'identity' : preferredCoding(acceptEncoding);
}

/**
 * The variant for a client; it is made when it is first asked for, unless the client has it.
 * @param use.isWrite true if the response answers a write
 * @param use.isOwn true if nothing else uses the response's bytes, so that they may be transferred to another thread
 */
export async function encodedVariantFor(
  response: CachedResponse,
  { headers }: Pick<IncomingMessage, 'headers'>,
  { isWrite, isOwn }: { readonly isWrite: boolean; readonly isOwn: boolean },
): Promise<Variant> {
  const isSmall = isWrite && response.variants.identity.body.length < leastCompressedOnce;
  const coding = isSmall ? 'identity' : codingFor(response, headers['accept-encoding']);
  const { identity, [coding]: ready } = response.variants;
  if (ready || coding === 'identity') return ready ?? identity;
  const condition = headers['if-none-match'];
  const known = makeVariant(noBytes, response, coding);
  if (!isWrite && condition !== undefined && matchingEtag(condition, known) !== undefined) return known;
  const body = await compressBody(identity.body, coding, isOwn);
  return addVariant(response, coding, body);
}

/**
 * Refuses a GET or HEAD whose If-Match doesn't have the tag of the variant (RFC 9110, section 13.1.1). The If-Match of a write is
 * about the record that it changes, and is checked with the write.
 * @throws StaleError
 */
export function assertIfMatch({ method, headers }: IncomingMessage, variant: Variant): void {
  const condition = method === 'GET' || method === 'HEAD' ? headers['if-match'] : undefined;
  if (condition !== undefined && matchingEtag(condition, variant) === undefined) throw new StaleError();
}

/** Sends a variant: whole, or without its body (HEAD), or as 304 to a GET or HEAD whose If-None-Match has its tag. */
export function sendResponseVariant(
  request: IncomingMessage,
  response: ServerResponse,
  variant: Variant,
  status = 200,
  more?: readonly string[],
): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const condition = reads ? request.headers['if-none-match'] : undefined;
  const matching = condition === undefined ? undefined : matchingEtag(condition, variant);
  if (matching !== undefined) {
    const own = variant.notModifiedHeaders;
    const headers = matching === variant.etag ? own : own.map((text) => (text === variant.etag ? matching : text));
    response.writeHead(304, (more ? [...headers, ...more] : headers) as string[]).end();
  } else {
    response.writeHead(status, (more ? [...variant.headers, ...more] : variant.headers) as string[]);
    response.end(request.method === 'HEAD' ? undefined : variant.body);
  }
}

/** Cached responses by address, up to a size: the least recently used go first. */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse>;
  #revision: object | undefined;
  #epoch = 0;

  /** @param bytes limit of their size */
  constructor(bytes = 64 * 1024 * 1024) {
    this.#responses = new LRUCache({
      maxSize: bytes,
      // Compressed variants come later and are smaller: twice the plain size covers all three, and the key and headers.
      sizeCalculation: ({ variants }, key) => 2 * variants.identity.body.length + key.length + 2000,
    });
  }

  /**
   * The number of a revision of the catalogue. Responses hold the number and not the revision, which would keep a whole
   * catalogue of the past in memory.
   */
  epochOf(revision: object): number {
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#epoch++;
    }
    return this.#epoch;
  }

  get(key: string): CachedResponse | undefined {
    return this.#responses.get(key);
  }

  set(key: string, response: CachedResponse): void {
    this.#responses.set(key, response);
  }

  /**
   * Responds to a request from the cache: the hot path, in front of everything else.
   * @param more headers of this response alone
   * @returns the response that was sent; undefined if there is no cached one that is known to be valid
   */
  respond(
    request: IncomingMessage,
    response: ServerResponse,
    revision: object,
    more?: readonly string[],
  ): CachedResponse | undefined {
    const key = responseCacheKey(request);
    const cached = key === null ? undefined : this.#responses.get(key);
    if (!cached || cached.epoch !== this.epochOf(revision)) return undefined;
    if (cached.isForGetOnly && request.method === 'HEAD') return undefined;
    if (request.headers['if-match'] !== undefined) return undefined;
    if (cached.freshUntil !== Number.POSITIVE_INFINITY && cached.freshUntil < performance.now()) return undefined;
    const variant = cached.variants[codingFor(cached, request.headers['accept-encoding'])];
    if (!variant) return undefined;
    sendResponseVariant(request, response, variant, 200, more);
    return cached;
  }
}

/** Languages of pages, by Accept-Language. */
const languageKeys = new Map<string, string>();

/** The first language of the interface that a client accepts. Nothing else in the header changes a page. */
function languageKey(acceptLanguage = ''): string {
  const known = languageKeys.get(acceptLanguage);
  if (known !== undefined) return known;
  const key = preferredLanguages(acceptLanguage).map(languageForTag).find(Boolean) ?? '';
  // Clients send a handful of different headers; one that sends thousands must not fill the memory.
  if (languageKeys.size > 1000) languageKeys.clear();
  languageKeys.set(acceptLanguage, key);
  return key;
}

/**
 * The key of a request in the cache, from all that the response depends on: address, accepted types and languages, the host that
 * links begin with, and the day, since lists count the datasets that were updated in the last days.
 * @returns null if the response may depend on the user
 */
export function responseCacheKey(request: IncomingMessage): string | null {
  const { headers, method } = request;
  if ((method !== 'GET' && method !== 'HEAD') || mayIdentify(headers)) return null;
  const proxied = headers['x-forwarded-host'] || headers['x-forwarded-proto'];
  const origin = proxied ? `${headers['x-forwarded-proto']} ${headers['x-forwarded-host']}` : '';
  const language = languageKey(headers['accept-language']);
  return `${request.url}\n${headers.accept ?? ''}\n${language}\n${addressedHost(request)}\n${origin}\n${Math.floor(Date.now() / 86_400_000)}`;
}
