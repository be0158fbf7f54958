/** Preconditions of requests for bytes (RFC 9110, section 13.2.2). */

import type { ParameterizedContext } from 'koa';
import { StaleError } from '../catalogue/errors.ts';
import { etagMatches } from './etags.ts';

/**
 * Refuses a request for bytes that have changed since the client has read them.
 * @param etag ETag of the response, with its quotes
 * @param modified time of the bytes; without one, If-Unmodified-Since is ignored (section 13.1.4)
 * @throws StaleError if If-Match lists other tags, or, without it, if the bytes are newer than If-Unmodified-Since
 */
export function assertPreconditions(ctx: ParameterizedContext, etag: string, modified?: Date): void {
  const condition = ctx.get('If-Match');
  const isOther = condition
    ? !etagMatches(condition, etag)
    : (secondsSince(ctx.get('If-Unmodified-Since'), modified) ?? 0) > 0;
  if (isOther) throw new StaleError('The file has changed: it is not the one of If-Match or If-Unmodified-Since.');
}

/** A date of HTTP in one of its three forms (RFC 9110, section 5.6.7), all of which begin with the day. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/;

/** Whole seconds from a time to that at which the bytes were modified; undefined if either is unknown or is no date. */
export function secondsSince(date: string, modified: Date | undefined): number | undefined {
  const since = httpDate.test(date) ? Date.parse(date.endsWith('GMT') ? date : `${date} GMT`) : Number.NaN;
  if (modified === undefined || Number.isNaN(since)) return undefined;
  return Math.floor(modified.getTime() / 1000) - since / 1000;
}
