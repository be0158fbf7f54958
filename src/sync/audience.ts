/**
 * Who may see a namespace or dataset on each side, where the sides differ. What is in one must not become visible by
 * synchronisation to people for whom it isn't meant: its members wait while a private record is public on the other side, and
 * a record becomes public after the removals in it.
 */
import { describeFilePath, enclosingContainerFolders } from '../catalogue/layout.ts';
import { containerFolder, type Side, syncFileKind, type ThreeWay } from './files.ts';

/** The sides whose record shows the namespace or dataset to people who can't see it by the other one. */
export type Wider = Readonly<Record<Side, boolean>>;

/** The differences by the path of the record, after the moves. Records that show the same to everybody are left out. */
export type Audiences = ReadonlyMap<string, Wider>;

/**
 * Files that have to wait, with the reason, by path.
 * @param statuses `incoming`, `outgoing`, `conflict` or `blocked` for each file that differs
 */
export function findFilesHeldByAudience(
  audiences: Audiences,
  { ours, theirs }: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  const records = new Map([...audiences.keys()].map((record) => [containerFolder(record) ?? '', record]));
  for (const [path, status] of records.size ? statuses : [])
    for (const folder of enclosingContainerFolders(path)) {
      const record = records.get(folder);
      const wider = record === undefined || record === path ? undefined : audiences.get(record);
      if (record === undefined || wider === undefined) continue;
      const ofRecord = statuses.get(record);
      const isSentWhereSeen = status === 'outgoing' && ours.has(path) && wider.theirs;
      const isTakenWhereSeen = status === 'incoming' && theirs.has(path) && wider.ours;
      const kind = syncFileKind(record);
      if (isUndecided(ofRecord) && (isSentWhereSeen || isTakenWhereSeen))
        held.set(
          path,
          `The ${kind} it is in is visible to more people on the other side: decide on the ${kind} first.`,
        );
      const isShownThere = ofRecord === 'outgoing' && wider.ours && theirs.has(path);
      const isShownHere = ofRecord === 'incoming' && wider.theirs && ours.has(path);
      if (isUndecided(status) && (isShownThere || isShownHere))
        held.set(
          record,
          `It would become visible to more people, and ${describeFilePath(path)} in it hasn't been decided on.`,
        );
    }
  return held;
}

const isUndecided = (status: string | undefined): boolean => status === 'conflict' || status === 'blocked';

/** Of a step that changes who may see a namespace or dataset: `narrower` has to be done before what is added in it, `wider` after what is removed. */
export type AudienceChange = 'wider' | 'narrower';

/** The change that a step on a side makes, by the path of the record. */
export function audienceChangeOn(target: Side, wider: Wider | undefined): AudienceChange | undefined {
  if (!wider) return undefined;
  const [now, next] = target === 'theirs' ? [wider.theirs, wider.ours] : [wider.ours, wider.theirs];
  if (now) return 'narrower';
  return next ? 'wider' : undefined;
}
