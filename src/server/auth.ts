/** Who asks: the credentials of a request. */
import type { IncomingHttpHeaders } from 'node:http';
import { NotAuthenticatedError } from '../catalogue/errors.ts';
import { anonymous, type Viewer } from '../catalogue/permissions.ts';

/** Finds out whom a token belongs to; null where nobody has it. */
export type TokenCheck = (token: string) => Promise<Viewer | null>;

/**
 * The viewer that the Authorization header stands for: `Token <key>`, `Bearer <key>` or `JWT <key>`. Another scheme, a
 * bare key or a blank header count as none.
 * @throws NotAuthenticatedError, worded as Django REST Framework does, where a token is malformed or unknown
 */
export async function viewerOf(headers: IncomingHttpHeaders, check: TokenCheck): Promise<Viewer> {
  const [scheme = '', ...parts] = (headers.authorization ?? '').split(/\s+/).filter(Boolean);
  if (!/^(token|bearer|jwt)$/i.test(scheme)) return anonymous;
  if (parts.length === 0) throw new NotAuthenticatedError('Invalid token header. No credentials provided.');
  if (parts.length > 1)
    throw new NotAuthenticatedError('Invalid token header. Token string should not contain spaces.');
  const token = Buffer.from(parts[0] ?? '', 'latin1');
  if (!isUtf8(token))
    throw new NotAuthenticatedError('Invalid token header. Token string should not contain invalid characters.');
  const viewer = await check(token.toString());
  if (!viewer) throw new NotAuthenticatedError('Invalid token.');
  return viewer;
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
