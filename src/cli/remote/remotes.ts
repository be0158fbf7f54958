/** Remotes: other servers' catalogues under the names that a person gave them, and the person's sign-ins there. Pure. */

import { closestWord } from '../../catalogue/closest.ts';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import { isUrl, parseCatalogueUrl } from '../../catalogue/urls.ts';
import { UsageError } from '../errors.ts';

export interface Remote {
  readonly name: string;
  /** As `parseCatalogueUrl` writes it. */
  readonly url: string;
}

/** A sign-in. It belongs to an address and not to a remote's name, which may change. */
export interface Login {
  readonly url: string;
  readonly user: string;
  readonly token: string;
  /** The token's id on the server; null for a token that was given, and isn't ours to revoke. */
  readonly id: string | null;
  /** ISO 8601; null for never, or where it isn't known. */
  readonly expires: string | null;
}

export interface Remotes {
  readonly remotes: readonly Remote[];
  readonly logins: readonly Login[];
  /** Servers that moved to another address, as `catalogue remote set-url` recorded them. */
  readonly moves?: readonly Move[];
}

/** A server's former and its new address. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

export const noRemotes: Remotes = Object.freeze({ remotes: [], logins: [] });

/** The remote that a name or an address stands for. */
export interface FoundRemote {
  /** Its name in commands; its address where it has none. */
  readonly name: string;
  readonly url: string;
  readonly login: Login | undefined;
}

/** True if the connection to a URL is not encrypted and leaves this machine. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * The remote of a name, or at an address.
 * @throws NotFoundError that lists the remotes; UsageError where the text is neither a name nor an address
 */
export function resolveRemote({ remotes, logins }: Remotes, nameOrUrl: string): FoundRemote {
  const url = isUrl(nameOrUrl) ? parseCatalogueUrl(nameOrUrl) : remotes.find(({ name }) => name === nameOrUrl)?.url;
  if (url === undefined) throw new NotFoundError(unknownRemote(remotes, nameOrUrl));
  const name = isUrl(nameOrUrl) ? remotes.find((remote) => remote.url === url)?.name : nameOrUrl;
  return { name: name ?? url, url, login: logins.find((login) => login.url === url) };
}

function unknownRemote(remotes: readonly Remote[], name: string): string {
  const names = remotes.map((remote) => remote.name);
  const meant = closestWord(name, names);
  const known = names.length === 0 ? 'There are no remotes yet.' : `Known remotes: ${names.join(', ')}.`;
  const hint = meant ? `Did you mean ${meant}?` : known;
  // An address without its scheme.
  if (!meant && /^[\w.-]+(:\d+)?(\/|$)/.test(name) && /[./:]/.test(name) && URL.canParse(`http://${name}`))
    return `There is no remote ${name}. ${known} Is it ${isUnencrypted(`http://${name}`) ? 'https' : 'http'}://${name}?`;
  return `There is no remote ${name}. ${hint} Add it with: catalogue remote add ${/\s/.test(name) ? 'NAME' : name} URL`;
}

/** Adds a remote. @throws UsageError for an invalid name; ConflictError where the name is in use */
export function remotesWith(data: Remotes, added: Remote): Remotes {
  const { name, url } = added;
  if (!/^[A-Za-z0-9][\w.-]{0,62}$/.test(name))
    throw new UsageError(
      `${name} can't be a name. Use letters, digits, ".", "-" and "_", as in: catalogue remote add prod ${url}`,
    );
  const other = data.remotes.find((remote) => remote.name === name);
  if (other)
    throw new ConflictError(
      `There is a remote ${name} already: ${other.url}. Remove it first: catalogue remote remove ${name}`,
    );
  return { ...remotesWithoutMove(data, url), remotes: [...data.remotes, added] };
}

/** Removes a remote, and the sign-in unless another remote has the same address. */
export function remotesWithout(data: Remotes, { name, url }: Remote): Remotes {
  const { remotes, logins } = data;
  const left = remotes.filter((remote) => remote.name !== name);
  const isNeeded = left.some((remote) => remote.url === url);
  return { ...data, remotes: left, logins: isNeeded ? logins : logins.filter((login) => login.url !== url) };
}

/** Gives all remotes at an address another one. The sign-in moves along, and so do folders cloned from there. */
export function remotesAfterMove(data: Remotes, move: Move): Remotes {
  const { from, to } = move;
  const renewed = <T extends { readonly url: string }>(one: T): T => (one.url === from ? { ...one, url: to } : one);
  const hasLogin = data.logins.some(({ url }) => url === to);
  return {
    ...data,
    remotes: data.remotes.map(renewed),
    logins: hasLogin ? data.logins.filter(({ url }) => url !== from) : data.logins.map(renewed),
    moves: [...(data.moves ?? []).filter((one) => one.from !== to && one.from !== from), move],
  };
}

/** Forgets that the server at an address moved: another one is there now. */
export const remotesWithoutMove = (data: Remotes, url: string): Remotes =>
  data.moves?.some(({ from }) => from === url)
    ? { ...data, moves: data.moves.filter(({ from }) => from !== url) }
    : data;

/** The present address of a server. */
export function presentServerUrl({ moves = [] }: Remotes, url: string): string {
  const next = moves.find(({ from }) => from === url)?.to;
  return next === undefined ? url : presentServerUrl({ remotes: [], logins: [], moves }, next);
}

/** Former addresses of the server at an address. */
export const formerUrls = (data: Remotes, url: string): readonly string[] =>
  (data.moves ?? []).map(({ from }) => from).filter((from) => presentServerUrl(data, from) === url);

/** Adds a sign-in, in place of an earlier one at the same address. */
export const remotesWithLogin = (data: Remotes, login: Login): Remotes => ({
  ...data,
  logins: [...data.logins.filter(({ url }) => url !== login.url), login],
});

export const remotesWithoutLogin = (data: Remotes, url: string): Remotes => ({
  ...data,
  logins: data.logins.filter((login) => login.url !== url),
});

/**
 * Reads a token from stdin or the environment.
 * @param source of the text, for the message
 * @throws UsageError where it can't be a token; the message doesn't quote it, since it may be a part of one
 */
export function tokenFromText(text: string, source: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    token === ''
      ? `There is no token in ${source}.`
      : `The text in ${source} is not a token: a token has no blanks or line breaks.`,
  );
}
