/** Comparison of who may see namespaces and datasets on both sides, by the texts of their records. */
import { isDeepStrictEqual } from 'node:util';
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import type { Audiences, Wider } from './audience.ts';
import { actualPath, isSameFile } from './extensions.ts';
import type { RecordFields } from './field-conflicts.ts';
import { containerFolder, type Side, syncFileKind, type ThreeWay } from './files.ts';
import { type Move, pathBeforeMoves } from './moves.ts';
import { nullIfRefused } from './run.ts';
import { parseRecordFields, type TextReader } from './texts.ts';

/** Compares who may see the namespaces and datasets that differ, and that have other differences in their folders. */
export async function compareAudiences({
  ours,
  theirs,
  moves,
  texts,
}: ThreeWay & {
  readonly moves: readonly Move[];
  readonly texts: Readonly<Record<Side, TextReader>>;
}): Promise<Audiences> {
  const files = { ours, theirs };
  const fieldsOn = async (side: Side, path: string): Promise<RecordFields | null> => {
    const file = files[side].get(path);
    const missing = moves.filter(({ by }) => by !== side);
    const place = actualPath(pathBeforeMoves(path, missing), file);
    const text = await texts[side].get(place, file?.checksum ?? '').catch(nullIfRefused);
    return text === null ? null : parseRecordFields(place, text);
  };
  const found = new Map<string, Wider>();
  for (const path of differingContainers(ours, theirs)) {
    const [our, their] = [await fieldsOn('ours', path), await fieldsOn('theirs', path)];
    const isNamespace = syncFileKind(path) === 'namespace';
    const wider = { ours: showsMore(our, their, isNamespace), theirs: showsMore(their, our, isNamespace) };
    if (wider.ours || wider.theirs) found.set(path, wider);
  }
  return found;
}

/** Paths of the namespaces and datasets that differ, and in whose folders are other differences. */
function differingContainers(ours: ThreeWay['ours'], theirs: ThreeWay['theirs']): readonly string[] {
  const containers = new Map<string, string>();
  for (const [path, file] of ours) {
    const other = theirs.get(path);
    const folder = other && !isSameFile(file, other) && file.checksum && other.checksum ? containerFolder(path) : null;
    if (folder !== null) containers.set(folder, path);
  }
  const found = new Set<string>();
  for (const path of containers.size ? new Set([...ours.keys(), ...theirs.keys()]) : []) {
    if (isSameFile(ours.get(path), theirs.get(path))) continue;
    for (const folder of enclosingContainerFolders(path)) {
      const record = containers.get(folder);
      if (record !== undefined && record !== path) found.add(record);
    }
  }
  return [...found];
}

/** True if somebody may see by a record what the other one hides. One that can't be parsed may hide everything. */
function showsMore(fields: RecordFields | null, other: RecordFields | null, isNamespace: boolean): boolean {
  if (fields === null) return false;
  if (other === null) return true;
  const isPublic = (one: RecordFields) => one.visibility !== 'private';
  if (isPublic(fields) && !isPublic(other)) return true;
  // The readers and owners of a public namespace see its private datasets.
  const names = isNamespace || !isPublic(other) ? ['readers', 'owners'] : ['owners'];
  return names.some((name) =>
    listOf(fields[name]).some((one) => !listOf(other[name]).some((two) => isDeepStrictEqual(one, two))),
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
