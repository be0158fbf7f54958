/**
 * Addresses that a source may lead to: http(s) only, and none of a private network, so that a document of somebody else
 * can't make this machine ask its neighbours. The host that was typed may be private.
 */
import { type LookupAddress, lookup } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { ValidationError } from '../catalogue/errors.ts';

type LookupCallback = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void;

const refused = (host: string) =>
  new ValidationError({ source: [`The source leads to ${host}, which is in a private network. It was not followed.`] });

/** True for an address that is not one of the public internet. */
export function isPrivateAddress(address: string): boolean {
  const text = address.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(text)) return false;
  return ipaddr.process(text).range() !== 'unicast';
}

/** @throws ValidationError for what is no URL, for other schemes, and for a private address that is not the host of the source */
export function assertPublicAddress(address: string, source: string): void {
  if (!URL.canParse(address)) throw new ValidationError({ source: [`${address} is no complete address.`] });
  const { protocol, hostname, username } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ValidationError({ source: [`The source leads to ${address}. Only http and https are followed.`] });
  if (hostname === new URL(source).hostname) return;
  if (username)
    throw new ValidationError({
      source: [`The source leads to an address with a user name at ${hostname}. It was not followed.`],
    });
  if (isPrivateAddress(hostname) || hostname === 'localhost') throw refused(hostname);
}

/** A look-up of names that refuses private addresses. @param trusted host of the source, which may have one */
export function makeGuardedLookup(trusted: string) {
  return (host: string, options: object, callback: LookupCallback): void => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (host !== trusted && addresses.some(({ address }) => isPrivateAddress(address)))
        return callback(refused(host), []);
      const [first] = addresses;
      if ('all' in options && options.all) return callback(null, addresses);
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}
