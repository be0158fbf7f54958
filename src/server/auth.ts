/** Who asks: the credentials of a request. */
import type { ParameterizedContext } from 'koa';
import type { Accounts } from '../catalogue/accounts.ts';
import { NotAuthenticatedError } from '../catalogue/errors.ts';
import { anonymous, type Viewer } from '../catalogue/permissions.ts';
import { sessionKey } from './cookies.ts';

export interface Asker {
  readonly viewer: Viewer;
  /** Whether it is a cookie that says so, which browsers send along for pages of others too. */
  readonly bySession: boolean;
}

/** One who isn't signed in. */
export const nobody: Asker = { viewer: anonymous, bySession: false };

/**
 * Who asks: whom the token in the Authorization header stands for (`Token <key>`, `Bearer <key>` or `JWT <key>`), else
 * whom the session's cookie does. Another scheme, a bare key, a blank header and a session that is over count as none.
 * @throws NotAuthenticatedError, worded as Django REST Framework does, where a token is malformed or unknown
 */
export async function whoAsks(ctx: ParameterizedContext, accounts: Accounts | null): Promise<Asker> {
  const token = tokenIn(ctx.req.headers.authorization ?? '');
  if (token !== null) {
    const viewer = await accounts?.viewerOf(token);
    if (!viewer) throw new NotAuthenticatedError('Invalid token.');
    return { viewer, bySession: false };
  }
  const key = sessionKey(ctx);
  const viewer = key === undefined ? null : await accounts?.viewerOfSession(key);
  return viewer ? { viewer, bySession: true } : nobody;
}

function tokenIn(header: string): string | null {
  const [scheme = '', ...parts] = header.split(/\s+/).filter(Boolean);
  if (!/^(token|bearer|jwt)$/i.test(scheme)) return null;
  if (parts.length === 0) throw new NotAuthenticatedError('Invalid token header. No credentials provided.');
  if (parts.length > 1)
    throw new NotAuthenticatedError('Invalid token header. Token string should not contain spaces.');
  const token = Buffer.from(parts[0] ?? '', 'latin1');
  if (!isUtf8(token))
    throw new NotAuthenticatedError('Invalid token header. Token string should not contain invalid characters.');
  return token.toString();
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
