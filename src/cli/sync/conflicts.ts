/** Conflicts of a pull or push for people, to whom one of a dataset as a whole is one, whatever is in it. */
import { excerpt, maxShownValue } from '../../catalogue/errors.ts';
import { enclosingContainerFolders, isBytesPath, kindAndRefOfPath } from '../../catalogue/layout.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { Conflict } from '../../sync/plan.ts';
import type { ConflictSummary } from '../../sync/summary.ts';
import type { Call } from '../command.ts';
import { countText } from '../output/quantities.ts';
import { type Paint, terminalColours } from '../output/terminal.ts';

/** A conflict, and the number of the versions that are decided with it. */
export type JoinedConflict = ConflictSummary & { readonly versions: number };

/**
 * Joins the conflicts in a dataset that one side has removed, or of which each side has added one of its own, with that of its record:
 * one decision is made about all.
 */
export function joinConflicts(conflicts: readonly ConflictSummary[]): readonly JoinedConflict[] {
  const versions = new Map<string, number>();
  for (const conflict of conflicts)
    if (kindAndRefOfPath(conflict.path).kind === 'dataset' && isAboutWhole(conflict))
      versions.set(folderOf(conflict), 0);
  const isMember = (conflict: ConflictSummary) =>
    versions.has(folderOf(conflict)) && kindAndRefOfPath(conflict.path).kind !== 'dataset';
  for (const conflict of conflicts)
    if (isMember(conflict) && kindAndRefOfPath(conflict.path).kind === 'version')
      versions.set(folderOf(conflict), (versions.get(folderOf(conflict)) ?? 0) + 1);
  return conflicts
    .filter((conflict) => !isMember(conflict))
    .map((conflict) => ({ ...conflict, versions: versions.get(folderOf(conflict)) ?? 0 }));
}

const folderOf = ({ path }: ConflictSummary): string => enclosingContainerFolders(path)[0] ?? '';

const isAboutWhole = ({ ours, theirs, fields }: ConflictSummary): boolean =>
  ours === 'removed' ||
  theirs === 'removed' ||
  (ours === 'added' && theirs === 'added' && fields.some(({ field }) => field === 'id'));

/** Shows conflicts, field by field. */
export function showSyncConflicts({ context, global, show }: Call, conflicts: readonly ConflictSummary[]): void {
  const paint = terminalColours(context, global.color);
  if (!show.forPeople) show.table([], conflicts.flatMap(syncConflictCells));
  else
    for (const conflict of joinConflicts(conflicts))
      for (const line of syncConflictLines(conflict, paint)) context.out(`${line}\n`);
}

/** A conflict for people: the change of each side, and below it each field. */
function syncConflictLines(
  { name, from, ours, theirs, fields, versions }: JoinedConflict,
  paint: Paint,
): readonly string[] {
  const sides = ours === theirs ? `${ours} on both sides` : `${ours} locally, ${theirs} remotely`;
  const whole = versions > 0 ? `, with ${countText(versions, 'version')}` : '';
  return [
    `${paint('red', '!')} ${paint('bold', escapeToOneLine(from === undefined ? name : `${from} → ${name}`))}  ${sides}${whole}`,
    ...fields.map(({ field, base, ours: mine, theirs: others, changedBy }) => {
      const side = changedBy === 'both' ? '' : `  (changed ${changedBy === 'ours' ? 'locally' : 'remotely'} only)`;
      const values = Object.entries({ was: base, local: mine, remote: others });
      const shown = values
        .map(([name, value]) => `${paint('dim', name)} ${escapeToOneLine(valueText(value))}`)
        .join(', ');
      return `    ${escapeToOneLine(field)}: ${shown}${side}`;
    }),
  ];
}

/** The cells of a conflict for programs: one line for each field. */
function syncConflictCells({ name, ours, theirs, fields }: ConflictSummary): readonly (readonly string[])[] {
  const start = ['conflict', `${ours}/${theirs}`, name];
  if (fields.length === 0) return [[...start, '', '']];
  return fields.map(({ field, base, ours: mine, theirs: others }) => [
    ...start,
    field,
    JSON.stringify({ base, ours: mine, theirs: others }),
  ]);
}

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  return excerpt(typeof value === 'string' ? value : JSON.stringify(value), maxShownValue);
}

/** The local records that conflicts were resolved with, and those that stay removed: `Kept 2 local records.` */
export function keptText(conflicts: readonly Conflict[]): string {
  const records = conflicts.filter(({ path }) => !isBytesPath(path));
  const removed = records.filter(({ ours }) => ours === null).length;
  const kept = records.length - removed;
  const parts = [
    ...(kept ? [`Kept ${countText(kept, 'local record')}.`] : []),
    ...(removed ? [`Kept the local removal of ${countText(removed, 'record')}.`] : []),
  ];
  return parts.join(' ') || `Kept ${countText(conflicts.length, 'local file')}.`;
}
