/** A catalogue elsewhere, by its address. */
import { addressFrom } from '../catalogue/address.ts';
import { settingsFrom } from '../catalogue/settings.ts';
import { type HttpOptions, openHttp } from './http.ts';
import { RemoteCatalogue } from './remote-catalogue.ts';

export type ConnectOptions = HttpOptions;

/**
 * The catalogue that a server serves, as the one sees it whose token is given. Nothing is asked yet.
 * @param address `https://data.example.org`, with the path below which the API lies if there is one
 * @throws ValidationError where the address is none, or holds a password
 */
export async function connect(address: string, options: ConnectOptions = {}): Promise<RemoteCatalogue> {
  const base = addressFrom(address.trim());
  return new RemoteCatalogue(
    await openHttp(base, options),
    settingsFrom({ title: new URL(base).host, base_url: base }),
  );
}
