/** Passwords tried: by the token endpoint and the login page alike, and not too often. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Accounts } from '../catalogue/accounts.ts';
import type { Settings } from '../catalogue/types.ts';
import { ThrottledError } from './errors.ts';
import { remoteAddress } from './remote.ts';
import { Throttle } from './throttle.ts';

const fiveMinutes = 5 * 60_000;

/** Who tries many names is held by the address, who tries one name from many addresses by the name. */
export class SignIn {
  readonly accounts: Accounts | null;
  readonly #byAddress = new Throttle({ limit: 40, window: fiveMinutes });
  readonly #byName = new Throttle({ limit: 10, window: fiveMinutes });

  constructor(accounts: Accounts | null) {
    this.accounts = accounts;
  }

  /**
   * Whether the pair is right.
   * @throws ThrottledError where that was asked too often, with the wrong pair
   */
  async isRight(request: IncomingMessage, settings: Settings, username: string, password: string): Promise<boolean> {
    const address = addressOf(request, settings);
    // No user has a longer name; a key is no place to keep a novel.
    const name = username.slice(0, 151);
    const wait = Math.max(this.#byAddress.wait(address), this.#byName.wait(name));
    if (wait > 0) throw new ThrottledError(wait);
    this.#byAddress.count(address);
    this.#byName.count(name);
    const right = (await this.accounts?.signIn(username, password)) ?? false;
    if (right) {
      this.#byAddress.forgive(address);
      this.#byName.forgive(name, true);
    }
    return right;
  }
}

/** Who a request comes from: of an IPv6 address its network counts, which is what one client has (RFC 6177). */
function addressOf(request: IncomingMessage, settings: Settings): string {
  const address = remoteAddress(request, settings);
  return isIPv6(address) ? networkOf(address) : address;
}

/** The first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = (text: string) => (text ? text.split(':') : []);
  const known = groups(head);
  const gap = tail === undefined ? 0 : 8 - known.length - groups(tail).length;
  return [...known, ...Array(Math.max(0, gap)).fill('0'), ...groups(tail ?? '')]
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
