/**
 * The metadata of a version: a text that clients give and get back byte for byte. The catalogue's own is base64 of a JSON
 * summary of the data. In records such a text is a mapping, if that gives back the same bytes.
 */

import { isNestedDeeper } from './nesting.ts';

/** A summary as a mapping. */
export type MetadataMapping = Readonly<Record<string, unknown>>;

/** The text of a mapping in the API: base64 of compact JSON in UTF-8. */
export function encodeMetadata(mapping: MetadataMapping): string {
  const bytes = new TextEncoder().encode(JSON.stringify(mapping));
  let binary = '';
  // In parts: a call has a maximum number of arguments.
  for (let start = 0; start < bytes.length; start += partLength)
    binary += String.fromCharCode(...bytes.subarray(start, start + partLength));
  return btoa(binary);
}

const partLength = 8192;

/**
 * The mapping of a text; null if the mapping wouldn't give back the same bytes: other JSON than an object, JSON with spaces,
 * duplicate keys or numbers such as 1.0, other encodings.
 */
export function mappingOfMetadata(text: string): MetadataMapping | null {
  const mapping = decodeMetadata(text);
  return mapping && encodeMetadata(mapping) === text ? mapping : null;
}

/** Metadata for people: the mapping; or else the JSON of an object that the base64 holds; or else the text itself. */
export function metadataForPeople(text: string): MetadataMapping | string {
  return mappingOfMetadata(text) ?? (decodeMetadata(text) ? (decodeBase64(text) as string) : text);
}

/** The UTF-8 text that base64 holds; null if it holds none. */
function decodeBase64(text: string): string | null {
  // "{" in base64: most other texts aren't worth the attempt.
  if (!/^e[A-Za-z0-9+/]+=*$/.test(text)) return null;
  try {
    return utf8.decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Maximum nesting of objects and lists: as in a record. JSON may have thousands, and code that walks it is recursive. */
const maxNesting = 50;

/** The JSON object that base64 holds; null if it holds none, or one that is nested more deeply than a record. */
export function decodeMetadata(text: string): MetadataMapping | null {
  const json = decodeBase64(text);
  if (!json?.startsWith('{')) return null;
  try {
    const mapping: MetadataMapping = JSON.parse(json);
    return isNestedDeeper(mapping, maxNesting) ? null : mapping;
  } catch {
    return null;
  }
}
