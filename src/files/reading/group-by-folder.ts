import type { Scope } from '../../catalogue/layout.ts';

/** A function that gives the entries below a folder. */
export type Below<T> = (folder: string) => Iterable<readonly [key: string, value: T]>;

/**
 * Entries with keys such as `namespaces/parks/namespace`, by the folders among some scopes that their keys begin with. It takes
 * one pass: going through all keys for each folder would take time that grows with the square of their number.
 */
export function groupByFolder<T>(
  entries: Iterable<readonly [key: string, value: T]>,
  scopes: readonly Scope[],
): Below<T> {
  const groups = new Map<string, (readonly [key: string, value: T])[]>();
  for (const scope of scopes) if ('folder' in scope) groups.set(scope.folder, []);
  if (groups.size < 2) return (folder) => entriesBelow(entries, folder);
  const lengths = [...new Set([...groups.keys()].map(({ length }) => length))];
  for (const entry of entries)
    for (const length of lengths)
      if (isFolderLength(entry[0], length)) groups.get(entry[0].slice(0, length))?.push(entry);
  return (folder) => groups.get(folder) ?? [];
}

/** True if the first characters of a key may be a folder, with a slash at its end. */
const isFolderLength = (key: string, length: number) => length === 0 || key[length - 1] === '/';

function* entriesBelow<T>(entries: Iterable<readonly [string, T]>, folder: string): Generator<readonly [string, T]> {
  for (const entry of entries) if (entry[0].startsWith(folder)) yield entry;
}
