/** A catalogue elsewhere, by its address. */
import { UnreachableError } from '../catalogue/errors.ts';
import { settingsFrom } from '../catalogue/settings.ts';
import { type HttpOptions, openHttp } from './http.ts';
import { RemoteCatalogue } from './remote-catalogue.ts';

export type ConnectOptions = HttpOptions;

/**
 * The catalogue that a server serves, as the one sees it whose token is given. Nothing is asked yet.
 * @param address `https://data.example.org`, with the path below which the API lies if there is one
 * @throws UnreachableError where the address is none
 */
export async function connect(address: string, options: ConnectOptions = {}): Promise<RemoteCatalogue> {
  const base = baseOf(address);
  return new RemoteCatalogue(
    await openHttp(base, options),
    settingsFrom({ title: new URL(base).host, base_url: base }),
  );
}

/**
 * The root of a server, as `connect` and a list of remotes write it: no slash at the end, no /api/v1/, no query.
 * @throws UnreachableError where the address is none, or holds a password
 */
export function baseOf(address: string): string {
  const text = address.trim();
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url)
    throw new UnreachableError(
      `"${address}" is no address of a catalogue. One is written like https://data.example.org`,
    );
  if (url.username || url.password)
    throw new UnreachableError('An address holds no user name and no password. Sign in with: catalogue login');
  return `${url.origin}${url.pathname.replace(/\/(api\/v1\/?)?$/, '').replace(/\/+$/, '')}`;
}
