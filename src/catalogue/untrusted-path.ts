/** Paths from people and programs that are not trusted: only those that the catalogue may write are parsed. */
import { hasValidNames, type PathInfo, parseCataloguePath } from './layout.ts';

type KnownPathInfo = Exclude<PathInfo, { kind: 'unknown' }>;

/** Valid paths that were parsed lately: those of a large batch of changes are parsed ten times each. */
const parsedLately = new Map<string, KnownPathInfo>();
const maxParsed = 4096;

/** Parses a path from an untrusted source; null unless the catalogue may write every name in it. */
export function parseUntrustedCataloguePath(path: string): KnownPathInfo | null {
  const known = parsedLately.get(path);
  if (known) return known;
  const parsed = parseValidPath(path);
  if (!parsed) return null;
  if (parsedLately.size >= maxParsed) parsedLately.clear();
  parsedLately.set(path, parsed);
  return parsed;
}

function parseValidPath(path: string): KnownPathInfo | null {
  if (!isSafePath(path)) return null;
  const info = parseCataloguePath(path);
  switch (info.kind) {
    case 'unknown':
      return null;
    case 'record':
      return hasValidNames(info.ref) ? info : null;
    case 'payload':
      return hasValidNames(info.dataset) ? info : null;
    default:
      return info;
  }
}

/** In bytes: with the path of the folder before it, some systems take no more than 1024. */
const maxPathLength = 900;

/** True if no name in the path is hidden, contains a separator, or is longer than file systems allow. */
function isSafePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
  if (/(?:^|\/)(?:\.|\/|$)|[\\\x00-\x1f\x7f]/.test(path)) return false;
  return hasAtMostBytes(path, maxPathLength) && path.split('/').every((name) => hasAtMostBytes(name, 255));
}

/** True if a text has at most this number of bytes in UTF-8, which has at most three for a character of a string. */
const hasAtMostBytes = (text: string, limit: number) =>
  text.length * 3 <= limit || new TextEncoder().encode(text).length <= limit;
