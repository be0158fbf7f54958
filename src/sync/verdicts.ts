/** The verdict on each file alone: which side has changed it since both had the same. Pure. */
import type { Files } from './files.ts';
import { fileAt, folderOf, homesOf, stemOf } from './paths.ts';
import type { Held, Known } from './plan.ts';

/** `nothing`: they differ, and nothing is to be done about it. */
export type Verdict = 'same' | 'incoming' | 'outgoing' | 'conflict' | 'held' | 'nothing';

type Judged = Pick<Known, 'base' | 'ours' | 'theirs' | 'broken' | 'outOfSight'>;

/** @returns the verdict by path, and what is left alone in words */
export function judge(known: Judged): { readonly verdicts: Map<string, Verdict>; readonly held: readonly Held[] } {
  const { base, ours, theirs, broken = new Map() } = known;
  const verdicts = new Map<string, Verdict>();
  const held: Held[] = [];
  const lost = { ours: emptied(base, ours), theirs: emptied(base, theirs) };
  for (const path of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const { kind } = fileAt(path);
    const bytes = kind === 'payload' || kind === 'image';
    const verdict = bytes ? ofBytes(path, kind, known, lost) : ofRecord(path, known);
    verdicts.set(path, verdict);
  }
  const hold = (path: string, reason: string) => {
    if (verdicts.get(path) === 'same' || verdicts.get(path) === 'held') return;
    verdicts.set(path, 'held');
    held.push({ path, reason });
  };
  for (const [path, reason] of broken) if (verdicts.has(path)) holdBroken(path, reason, known, verdicts, hold);
  for (const [path, other] of clashes(ours, theirs)) {
    hold(path, `It is ${other} there: give both files the same name.`);
    verdicts.set(other, 'held');
  }
  const { outOfSight } = known;
  if (outOfSight !== undefined)
    for (const [path, verdict] of verdicts)
      if ((verdict === 'incoming' || verdict === 'conflict') && base.has(path) && !theirs.has(path))
        hold(path, outOfSight);
  return { verdicts, held };
}

function ofRecord(path: string, { base, ours, theirs }: Judged): Verdict {
  const [was, here, there] = [base, ours, theirs].map((files) => files.get(path)?.checksum);
  if (here === there) return 'same';
  if (was === there) return 'outgoing';
  return was === here ? 'incoming' : 'conflict';
}

/**
 * Bytes come and go with the record that names them. What a side has lost without its record is brought back; an image
 * is only ever added.
 */
function ofBytes(
  path: string,
  kind: 'payload' | 'image',
  known: Judged,
  lost: Readonly<Record<'ours' | 'theirs', ReadonlySet<string>>>,
): Verdict {
  const { base, ours, theirs } = known;
  if (ours.has(path) && theirs.has(path)) return ofRecord(path, known);
  const missing = ours.has(path) ? 'theirs' : 'ours';
  if (!ours.has(path) && !theirs.has(path)) return 'same';
  if (base.has(path) && (kind === 'image' || lost[missing].has(homesOf(path)[0] ?? ''))) return 'nothing';
  return missing === 'ours' ? 'incoming' : 'outgoing';
}

/** Folders of datasets in which a side has removed records. */
function emptied(base: Files, side: Files): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of base.keys())
    if (!side.has(path) && ['dataset', 'version'].includes(fileAt(path).kind)) folders.add(homesOf(path)[0] ?? '');
  return folders;
}

/** What lies in the folder of a record that is broken may be missing because of that. */
function holdBroken(
  path: string,
  reason: string,
  { ours, theirs }: Judged,
  verdicts: Map<string, Verdict>,
  hold: (path: string, reason: string) => void,
): void {
  hold(path, reason);
  const folder = folderOf(path);
  if (folder === null) return;
  for (const [member, verdict] of verdicts)
    if (verdict !== 'same' && member.startsWith(folder) && !(ours.has(member) && theirs.has(member)))
      verdicts.set(member, 'held');
}

/** Records that have one extension here and another there. */
function clashes(ours: Files, theirs: Files): readonly (readonly [here: string, there: string])[] {
  const records = (files: Files, others: Files) =>
    [...files.keys()].filter((path) => !others.has(path) && !['payload', 'image'].includes(fileAt(path).kind));
  const there = new Map(records(theirs, ours).map((path) => [stemOf(path), path]));
  return records(ours, theirs).flatMap((path) => {
    const other = there.get(stemOf(path));
    return other === undefined ? [] : [[path, other] as const];
  });
}
