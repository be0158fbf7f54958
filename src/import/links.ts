/** Addresses and links in the documents of a source. */
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { listOf, membersOf, textOf } from './imported.ts';

/** True for an absolute address of HTTP; else it is the path of a local file. */
export const isHttpAddress = (address: string): boolean => /^https?:\/\//i.test(address);

/** The address of the folder of a document, with a slash at its end. */
export const folderOfAddress = (address: string): string =>
  isHttpAddress(address) ? new URL('.', address).href : dirname(address) + sep;

/** The links of an object of JSON that have a relation (RFC 8288, section 3.3). */
export const linksWith = (one: unknown, relation: string): readonly Readonly<Record<string, unknown>>[] =>
  listOf(membersOf(one).links)
    .map(membersOf)
    .filter(({ rel }) => rel === relation);

/**
 * The address of a link; null if it leads out of the folder, or is not one of http(s).
 * @param href URI or relative reference (RFC 3986): in a local document, percent-encoded characters are decoded
 * @param base address of the document
 * @param within folder that local links may not leave
 */
export function addressOf(href: unknown, base: string, within: string | null): string | null {
  const text = textOf(href);
  if (!text) return null;
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return isHttpAddress(text) ? text : null;
  if (isHttpAddress(base)) return URL.canParse(text, base) ? new URL(text, base).href : null;
  const path = resolve(dirname(base), decodePath(text));
  return within === null || path === within || path.startsWith(within + sep) ? path : null;
}

/** An address, or a path, relative to a folder; '' if it leads out of a local one. */
export function resolveAddress(address: unknown, base: string): string {
  const text = textOf(address).trim();
  if (!text || /^[a-z][a-z0-9+.-]*:/i.test(text)) return text;
  if (isHttpAddress(base)) return URL.canParse(text, base) ? new URL(text, base).href : text;
  if (!isAbsolute(base)) return text;
  const path = resolve(base, text);
  return path.startsWith(resolve(base) + sep) ? path : '';
}

/** A path without percent-encoding. One that some program wrote without encoding stays, such as `100%.json`. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
