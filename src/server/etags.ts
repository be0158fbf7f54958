/** ETags (RFC 9110, section 8.8.3): of bytes, in a content coding, and in conditions. The part between the quotes is a tag here. */
import { createHash, type Hash } from 'node:crypto';
import { Turns } from '../data/event-loop.ts';
import { type Coding, codings, compressions } from './negotiate.ts';

/** The tag of a body: equal for equal bytes. */
export const etagOf = (body: string | Buffer): string => etagOfHash(createHash('sha256').update(body));

/** The tag of a body, or of what a body is made of, by its hash. */
export const etagOfHash = (hash: Hash): string => hash.digest('base64url').slice(0, 27);

/** Bytes that are hashed between two looks at the clock: some 0.1 ms. */
const hashedAtOnce = 128 * 1024;

/** The tag of a body of any length, computed in turns. */
export async function etagInTurns(body: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  const turns = new Turns();
  for (let at = 0; at < body.length; at += hashedAtOnce) {
    if (turns.isOver) await turns.next();
    hash.update(body.subarray(at, at + hashedAtOnce));
  }
  return etagOfHash(hash);
}

/**
 * The ETag of a variant: a different one for each coding (RFC 9110, section 8.8.3.3).
 * @param tag that of the uncompressed body
 * @param isWeak true if two bodies with this tag may differ in their bytes (section 8.8.1)
 */
export const encodedEtag = (tag: string, coding: Coding, isWeak = false): string =>
  `${isWeak ? 'W/' : ''}"${tag}${coding === 'identity' ? '' : `-${coding}`}"`;

/** The ETags of all variants of a body. @param tag that of the uncompressed body */
export const encodedEtags = (tag: string): readonly string[] => codings.map((coding) => encodedEtag(tag, coding));

const codingAtEnd = new RegExp(`-(?:${compressions.join('|')})"`, 'g');

/** A condition whose ETags are those of the uncompressed bodies. @param condition value of If-None-Match or If-Match */
export const withoutCodings = (condition: string): string => condition.replace(codingAtEnd, '"');

/**
 * True if a condition lists the ETag of the current representation (RFC 9110, section 13.1.2): weak comparison.
 * @param condition value of If-None-Match or If-Match
 * @param etag with its quotes
 */
export function etagMatches(condition: string, etag: string): boolean {
  if (condition === etag) return true;
  if (condition.trim() === '*') return true;
  return condition.split(',').some((tag) => withoutWeakness(tag.trim()) === withoutWeakness(etag));
}

/** The part of an ETag that conditions of GET compare (RFC 9110, section 8.8.3.2). */
const withoutWeakness = (etag: string): string => etag.replace(/^W\//, '');
