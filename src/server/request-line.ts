/** The address as it stands in the first line of a request. */
import type { IncomingMessage } from 'node:http';
import { BadRequestError } from './errors.ts';

/**
 * Newer Nodes refuse such an address themselves, older ones hand its bytes on.
 * @throws BadRequestError where the address holds more than a URL may (RFC 3986, section 2)
 */
export function mustBeEncoded({ url = '' }: IncomingMessage): void {
  if (/[^\x21-\x7e]/.test(url))
    throw new BadRequestError('The address holds characters that have to be percent-encoded.');
}

/** A request line may hold a whole URL (RFC 9112, section 3.2.2): its host counts, and its path is the path. */
export function normalise(request: IncomingMessage): void {
  const match = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(request.url ?? '');
  if (!match) return;
  request.headers.host = match[1];
  request.url = match[2]?.startsWith('/') ? match[2] : `/${match[2] ?? ''}`;
}
