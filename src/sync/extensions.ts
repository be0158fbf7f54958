/** Records whose files have different extensions (`dataset.yaml`, `dataset.json`) on the sides, or in the last common state. Pure. */
import { extname } from 'node:path/posix';
import { isBytesPath, parseRecordFileName, pathsWithRecordExtensions } from '../catalogue/layout.ts';
import type { FileState, Files, ThreeWay } from './files.ts';

/** A path with the extension of another one. */
export const withExtensionOf = (path: string, other: string): string => stemOf(path) + extname(other);

/** The path at which a file lies. @param path that it is compared by */
export const actualPath = (path: string, file: FileState | undefined): string =>
  file?.extension === undefined ? path : stemOf(path) + file.extension;

/** True if two files that are compared by the same path have the same bytes and extension, or both are missing. */
export const isSameFile = (a: FileState | null | undefined, b: FileState | null | undefined): boolean =>
  a?.checksum === b?.checksum && a?.extension === b?.extension;

const stemOf = (path: string): string => path.slice(0, path.length - extname(path).length);

/** Files in which each record has one path, whatever its extensions: that in the last common state, else the local one. */
export function joinExtensions({ base, ours, theirs }: ThreeWay): ThreeWay {
  const stems = stemsWithSeveralPaths([base, ours, theirs]);
  const [local, remote] = [new Map<string, string>(), new Map<string, string>()];
  for (const stem of stems) {
    const paths = pathsWithRecordExtensions(stem);
    const places = [base, ours, theirs].map((files) => paths.filter((path) => files.has(path)));
    // A record with two files on one side has to be put in order there first.
    if (places.some(({ length }) => length > 1) || paths.some(isBytesPath)) continue;
    const [before, here, there] = places.map(([path]) => path);
    const path = before ?? here ?? '';
    if (here !== undefined && here !== path) local.set(here, path);
    if (there !== undefined && there !== path) remote.set(there, path);
  }
  return { base, ours: withPaths(ours, local), theirs: withPaths(theirs, remote) };
}

/** Paths without extension of the records that not all sides have at the same path. */
function stemsWithSeveralPaths(sides: readonly Files[]): ReadonlySet<string> {
  const paths = new Map<string, string>();
  const several = new Set<string>();
  if (sides.filter(({ size }) => size > 0).length < 2) return several;
  for (const files of sides)
    for (const path of files.keys()) {
      if (sides.every((side) => side.has(path)) || !parseRecordFileName(path)) continue;
      const stem = stemOf(path);
      const known = paths.get(stem);
      if (known === undefined) paths.set(stem, path);
      else if (known !== path) several.add(stem);
    }
  return several;
}

/** @param paths new ones, by those so far */
function withPaths(files: Files, paths: ReadonlyMap<string, string>): Files {
  if (paths.size === 0) return files;
  return new Map(
    [...files].map(([path, file]) => {
      const other = paths.get(path);
      if (other === undefined) return [path, file];
      const { extension = extname(path), ...rest } = file;
      return [other, extension === extname(other) ? rest : { ...rest, extension }];
    }),
  );
}
