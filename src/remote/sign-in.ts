/** Signing in to a catalogue elsewhere. */
import { NotAuthenticatedError, ValidationError } from '../catalogue/errors.ts';
import { apiRoot } from '../catalogue/urls.ts';
import type { Http } from './http.ts';
import { strange } from './read.ts';

const json = { 'content-type': 'application/json' };

export interface Obtained {
  readonly token: string;
  /** By which the server knows it; null where it doesn't say. */
  readonly id: string | null;
  readonly expires: string | null;
}

/**
 * A token for a username and a password.
 * @throws NotAuthenticatedError where the pair isn't right; UnavailableError after too many wrong ones; UnreachableError
 */
export async function obtainToken(http: Http, username: string, password: string): Promise<Obtained> {
  const path = `${apiRoot}auth/token/obtain/`;
  const body = JSON.stringify({ username, password });
  const { value } = await http.json({ method: 'POST', path, headers: json, body }).catch((error) => {
    if (!(error instanceof ValidationError)) throw error;
    throw new NotAuthenticatedError(
      'non_field_errors' in error.fields ? 'The user name or the password is not right.' : error.message,
    );
  });
  const { token, url, expires } = value;
  if (typeof token !== 'string' || token === '') throw strange('token');
  const id = /\/auth\/tokens\/([0-9a-f]+)\/$/.exec(typeof url === 'string' ? url : '')?.[1] ?? null;
  return { token, id, expires: typeof expires === 'string' ? expires : null };
}

/** The username that the token stands for. @throws NotAuthenticatedError where it stands for nobody */
export async function whoAmI(http: Http): Promise<string> {
  const { value } = await http.json({ path: `${apiRoot}users/me/` });
  if (typeof value.username !== 'string') throw strange('username');
  return value.username;
}

/** Makes a token worthless. @throws NotFoundError where it is that already */
export async function revokeToken(http: Http, id: string): Promise<void> {
  const { body } = await http.ask({ method: 'DELETE', path: `${apiRoot}auth/tokens/${encodeURIComponent(id)}/` });
  body.resume();
}
