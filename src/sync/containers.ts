/**
 * What lies in the folder of a dataset or a namespace goes with its record: where one side has removed the record and the
 * other has changed something in its folder, both can't be had, and all of that is one conflict. Pure.
 */
import type { Files } from './files.ts';
import { fileAt, folderOf, homesOf } from './paths.ts';
import type { Known } from './plan.ts';
import type { Verdict } from './verdicts.ts';

interface Removed {
  /** Path of the record that one side has removed. */
  readonly record: string;
  /** What the other side has. */
  readonly kept: Files;
  /** What this side has. */
  readonly emptied: Files;
  readonly members: string[];
}

/** Joins the verdicts of what can only go together. */
export function joinContainers({ base, ours, theirs }: Known, verdicts: Map<string, Verdict>): void {
  const removed = new Map<string, Removed>();
  for (const [record, verdict] of verdicts) {
    const folder = folderOf(record);
    if (folder === null || !base.has(record) || ours.has(record) === theirs.has(record) || verdict === 'held') continue;
    const [kept, emptied] = ours.has(record) ? [ours, theirs] : [theirs, ours];
    removed.set(folder, { record, kept, emptied, members: [] });
  }
  if (removed.size === 0) return;
  for (const path of verdicts.keys()) for (const folder of homesOf(path)) removed.get(folder)?.members.push(path);
  for (const { record, kept, emptied, members } of removed.values()) {
    const isDataset = fileAt(record).kind === 'dataset';
    const isChanged = (path: string) => kept.get(path)?.checksum !== base.get(path)?.checksum;
    // What both have was moved there since by the other side.
    const survivors = members.filter(
      (path) => verdicts.get(path) === 'held' || (kept.has(path) && (emptied.has(path) || isChanged(path))),
    );
    if (survivors.length === 0) {
      // All that lies in a dataset's folder goes with it; a namespace's datasets go one by one.
      if (isDataset) for (const path of members) if (path !== record) verdicts.set(path, 'nothing');
      continue;
    }
    const concerned = isDataset ? members.filter((path) => kept.has(path)) : survivors;
    for (const path of [record, ...concerned])
      if (verdicts.get(path) !== 'held' && verdicts.get(path) !== 'same') verdicts.set(path, 'conflict');
  }
}
