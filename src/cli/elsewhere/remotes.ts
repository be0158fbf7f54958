/** Remotes: catalogues elsewhere by the names that a person gave them, and who the person is there. Pure. */
import { addressFrom, isAddress } from '../../catalogue/address.ts';
import { closest } from '../../catalogue/closest.ts';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import { UsageError } from '../errors.ts';

export interface Remote {
  readonly name: string;
  /** As `addressFrom` writes it. */
  readonly url: string;
}

/** Somebody signed in at an address: names may come and go. */
export interface Login {
  readonly url: string;
  readonly user: string;
  readonly token: string;
  /** By which the server knows the token; null for one that was not asked for here, and isn't ours to revoke. */
  readonly id: string | null;
  /** ISO 8601; null where that is never, or not known. */
  readonly expires: string | null;
}

export interface Remotes {
  readonly remotes: readonly Remote[];
  readonly logins: readonly Login[];
}

export const noRemotes: Remotes = Object.freeze({ remotes: [], logins: [] });

/** A remote that a name or an address means. */
export interface Target {
  /** What to call it in a command: its name, or its address where it has none. */
  readonly name: string;
  readonly url: string;
  readonly login: Login | undefined;
}

/** Whether what is sent there can be read on the way: http to another machine. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * The remote of a name, or at an address.
 * @throws NotFoundError that says which there are; UsageError where it is neither a name nor an address
 */
export function targetOf({ remotes, logins }: Remotes, nameOrUrl: string): Target {
  const url = isAddress(nameOrUrl) ? addressFrom(nameOrUrl) : remotes.find(({ name }) => name === nameOrUrl)?.url;
  if (url === undefined) throw new NotFoundError(unknown(remotes, nameOrUrl));
  const name = isAddress(nameOrUrl) ? remotes.find((remote) => remote.url === url)?.name : nameOrUrl;
  return { name: name ?? url, url, login: logins.find((login) => login.url === url) };
}

function unknown(remotes: readonly Remote[], name: string): string {
  const names = remotes.map((remote) => remote.name);
  const meant = closest(name, names);
  const there = names.length === 0 ? 'There is none yet.' : `There is ${names.join(', ')}.`;
  const hint = meant ? `Did you mean ${meant}?` : there;
  return `There is no remote ${name}. ${hint} Add it with: catalogue remote add ${/\s/.test(name) ? 'NAME' : name} URL`;
}

/** @throws UsageError for a name that is none; ConflictError where it is taken */
export function withRemote(data: Remotes, remote: Remote): Remotes {
  const { name, url } = remote;
  if (!/^[A-Za-z0-9][\w.-]{0,62}$/.test(name))
    throw new UsageError(
      `${name} is no name: letters, digits, ".", "-" and "_" make one, as in: catalogue remote add prod ${url}`,
    );
  const taken = data.remotes.find((other) => other.name === name);
  if (taken)
    throw new ConflictError(
      `There is a remote ${name} already: ${taken.url}. Remove it first: catalogue remote remove ${name}`,
    );
  return { ...data, remotes: [...data.remotes, remote] };
}

/** Without the remote, and without the sign-in where no other remote has its address. */
export function withoutRemote({ remotes, logins }: Remotes, { name, url }: Remote): Remotes {
  const left = remotes.filter((remote) => remote.name !== name);
  const isNeeded = left.some((remote) => remote.url === url);
  return { remotes: left, logins: isNeeded ? logins : logins.filter((login) => login.url !== url) };
}

/** Whoever was signed in there before is so no more. */
export const withLogin = (data: Remotes, login: Login): Remotes => ({
  ...data,
  logins: [...data.logins.filter(({ url }) => url !== login.url), login],
});

export const withoutLogin = (data: Remotes, url: string): Remotes => ({
  ...data,
  logins: data.logins.filter((login) => login.url !== url),
});
