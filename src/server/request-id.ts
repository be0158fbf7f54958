/** The id of a request: in its answer and in the log, so that one is found by the other. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** As the answer's headers call it. */
export const requestIdHeader = 'X-Request-Id';

/**
 * The id that a trusted proxy gave the request, or a new one.
 * @param trusted whether a proxy writes the headers: anybody else could give all requests the same id
 */
export function requestIdOf(headers: IncomingHttpHeaders, trusted: boolean): string {
  const given = trusted ? headers['x-request-id'] : undefined;
  return typeof given === 'string' && /^[\w.:+/=@-]{1,200}$/.test(given) ? given : randomUUID();
}
