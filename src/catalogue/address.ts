/** Where a catalogue is, as people type it and as programs keep it. */
import { ValidationError } from './errors.ts';
import { apiRoot } from './urls.ts';

/** Whether a text is meant as an address, and not as a name. */
export const isAddress = (text: string): boolean => text.includes('://');

const wrong = (message: string) => new ValidationError({ non_field_errors: [message] });

/**
 * The address of a catalogue elsewhere, in its one spelling: without a slash at the end, and without `/api/v1/`.
 * @throws ValidationError where it is none; it quotes no password
 */
export function addressFrom(text: string): string {
  const like = 'An address is written like https://data.example.org';
  if (!URL.canParse(text))
    throw wrong(
      text.includes('@') || isAddress(text)
        ? `This is no address. ${like}`
        : `${text} is no address. ${like}. Is it https://${text}?`,
    );
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (username || password)
    throw wrong(
      'A user name or a password in an address would be seen in lists, logs and histories. ' +
        'Give the address without them, and sign in with: catalogue login',
    );
  // `localhost:8000` is read as a scheme and a path.
  if (!/^https?:$/.test(protocol))
    throw wrong(
      isAddress(text) ? `${protocol}// is no web address. ${like}` : `${text} is no address. Is it http://${text}?`,
    );
  if (search || hash) throw wrong(`An address has no "?" and no "#". ${like}`);
  const path = pathname.replace(/\/*$/, '/');
  return origin + (path.endsWith(apiRoot) ? path.slice(0, -apiRoot.length) : path.slice(0, -1)).replace(/\/+$/, '');
}
