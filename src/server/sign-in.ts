/** Sign-in by password, throttled: used by the token endpoint and the login page alike. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Accounts } from '../catalogue/accounts.ts';
import { makeLargeCache } from '../catalogue/large-cache.ts';
import type { Settings } from '../catalogue/types.ts';
import { ThrottledError } from './errors.ts';
import { clientIpAddress } from './request.ts';

const fiveMinutes = 5 * 60_000;
const anHour = 60 * 60_000;

/**
 * Attempts are counted
 * - by client address, against one client that tries many names;
 * - by the network of a site, which may have thousands of such addresses;
 * - by address and name together, so that nobody keeps a user out from another address;
 * - by name alone, against many clients: the limit by name is slower, and a right password passes it.
 */
export class SignIn {
  readonly accounts: Accounts | null;
  readonly #byAddress = new Throttle({ limit: 40, window: fiveMinutes });
  readonly #bySite = new Throttle({ limit: 400, window: fiveMinutes });
  readonly #byAddressAndName = new Throttle({ limit: 10, window: fiveMinutes });
  readonly #byName = new Throttle({ limit: 100, window: anHour });
  readonly #underWay = new AttemptsUnderWay();
  /** Number of attempts that wait for others, by address. */
  readonly #waiting = new Map<string, number>();

  constructor(accounts: Accounts | null) {
    this.accounts = accounts;
  }

  /**
   * The hash of the user's password if the password is right, else null. An attempt that would be one too many if all under way
   * failed waits for them.
   * @throws ThrottledError after too many failed attempts
   */
  async verifyPassword(
    request: IncomingMessage,
    settings: Settings,
    username: string,
    password: string,
  ): Promise<string | null> {
    const address = throttleKeyOfAddress(clientIpAddress(request, settings));
    // No user has a longer name: memory is not for clients to fill.
    const name = username.slice(0, 151);
    const both = `${address}\n${name}`;
    const site = siteOfAddress(address);
    const limits: readonly Limit[] = [
      { throttle: this.#byAddress, key: address },
      { throttle: this.#byAddressAndName, key: both, forgivesAll: true },
      ...(site === null ? [] : [{ throttle: this.#bySite, key: `site ${site}` }]),
    ];
    for (let end = this.#endToWaitFor(address, limits); end; end = this.#endToWaitFor(address, limits)) await end;
    const waitByName = this.#byName.wait(name);
    for (const { throttle, key } of limits) throttle.count(key);
    if (waitByName === 0) this.#byName.count(name);
    const takeBack = (isRight: boolean) => {
      for (const { throttle, key, forgivesAll } of limits) throttle.forgive(key, isRight && forgivesAll);
      if (waitByName === 0) this.#byName.forgive(name);
    };
    const verified = this.#verify(username, password).then(
      (hash) => {
        if (hash !== null) takeBack(true);
        else if (waitByName > 0) {
          this.#byName.count(name);
          throw new ThrottledError(waitByName);
        }
        return hash;
      },
      (error) => {
        takeBack(false);
        throw error;
      },
    );
    this.#underWay.add(
      limits.map(({ key }) => key),
      verified,
    );
    return verified;
  }

  async #verify(username: string, password: string): Promise<string | null> {
    return (await this.accounts?.verifyPassword(username, password)) ?? null;
  }

  /**
   * The end of an attempt under way that may take the last place of the next one; null if there is a place.
   * @throws ThrottledError if failed attempts have taken all places, or too many wait
   */
  #endToWaitFor(address: string, limits: readonly Limit[]): Promise<void> | null {
    const taken = limits.filter(({ throttle, key }) => throttle.wait(key) > 0);
    if (taken.length === 0) return null;
    if (!taken.every(({ key }) => this.#underWay.has(key)))
      throw new ThrottledError(Math.max(...taken.map(({ throttle, key }) => throttle.wait(key))));
    const waiting = this.#waiting.get(address) ?? 0;
    if (waiting >= mostWaiting) throw new ThrottledError(1000);
    this.#waiting.set(address, waiting + 1);
    return this.#underWay.nextEnd(taken.map(({ key }) => key)).then(() => {
      const others = (this.#waiting.get(address) ?? 1) - 1;
      if (others) this.#waiting.set(address, others);
      else this.#waiting.delete(address);
    });
  }
}

/** A throttle, and the key of an attempt in it. */
interface Limit {
  readonly throttle: Throttle;
  readonly key: string;
  /** True if a right password takes all attempts back, and not only its own. */
  readonly forgivesAll?: boolean;
}

/** Attempts that wait for others, at most, for each address. */
const mostWaiting = 100;

/** Attempts whose outcome isn't known yet, by key. */
class AttemptsUnderWay {
  readonly #attempts = new Map<string, Set<Promise<void>>>();

  has(key: string): boolean {
    return this.#attempts.has(key);
  }

  add(keys: readonly string[], attempt: Promise<unknown>): void {
    const ended: Promise<void> = attempt.then(
      () => {},
      () => {},
    );
    for (const key of keys) {
      const attempts = this.#attempts.get(key) ?? new Set();
      this.#attempts.set(key, attempts.add(ended));
      void ended.then(() => {
        attempts.delete(ended);
        if (attempts.size === 0) this.#attempts.delete(key);
      });
    }
  }

  /** The end of any of the attempts. */
  nextEnd(keys: readonly string[]): Promise<void> {
    return Promise.race(keys.flatMap((key) => [...(this.#attempts.get(key) ?? [])]));
  }
}

export interface ThrottleOptions {
  /** Attempts allowed within the window. */
  readonly limit: number;
  /** In milliseconds. */
  readonly window: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Keys that a throttle remembers; beyond that, it forgets the least recently used. */
const mostKeys = 20_000;

/** A rate limit: a sliding window of attempts for each key. */
export class Throttle {
  readonly #options: Required<ThrottleOptions>;
  /** Times of the attempts that count, the oldest first; at most `limit` of them. */
  readonly #attempts = makeLargeCache<readonly number[]>(mostKeys);

  constructor({ limit, window, now = () => performance.now() }: ThrottleOptions) {
    this.#options = { limit, window, now };
  }

  /** Milliseconds to wait before the next attempt; 0 if it may be made now. */
  wait(key: string): number {
    const attempts = this.#recent(key);
    const [oldest = 0] = attempts;
    if (attempts.length < this.#options.limit) return 0;
    return Math.max(1, oldest + this.#options.window - this.#options.now());
  }

  /** Counts an attempt before its outcome is known, since others may run at the same time. */
  count(key: string): void {
    this.#attempts.set(key, [...this.#recent(key), this.#options.now()].slice(-this.#options.limit));
  }

  /** Takes the latest attempt back, or all of them. */
  forgive(key: string, all = false): void {
    const rest = all ? [] : this.#recent(key).slice(0, -1);
    if (rest.length) this.#attempts.set(key, rest);
    else this.#attempts.delete(key);
  }

  #recent(key: string): readonly number[] {
    const since = this.#options.now() - this.#options.window;
    return (this.#attempts.get(key) ?? []).filter((time) => time > since);
  }
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: one client has all of that network (RFC 6177). */
export function throttleKeyOfAddress(address: string): string {
  const [ip = ''] = address.split('%');
  return ipaddr.IPv6.isValid(ip) ? ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':') : address;
}

/** The first 48 bits of a key of an IPv6 address, which is the most that one site has (RFC 6177); null for other addresses. */
const siteOfAddress = (key: string): string | null => /^(?:\d+:){3}(?=\d+$)/.exec(key)?.[0] ?? null;
