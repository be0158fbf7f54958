/**
 * Who may see a namespace or dataset on each side, where the sides differ. What is in one must not become visible by
 * synchronisation to people for whom it isn't meant: its members wait while a private record is public on the other side, and
 * a record becomes public after the removals in it.
 */
import { describeFilePath } from '../catalogue/layout.ts';
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
  for (const [record, wider] of audiences) {
    const folder = containerFolder(record) ?? '';
    const kind = syncFileKind(record);
    const status = statuses.get(record);
    const isUndecided = status === 'conflict' || status === 'blocked';
    for (const [path, own] of statuses) {
      if (path === record || !path.startsWith(folder)) continue;
      const [hasOurs, hasTheirs] = [ours.has(path), theirs.has(path)];
      const isExposed =
        (own === 'outgoing' && hasOurs && wider.theirs) || (own === 'incoming' && hasTheirs && wider.ours);
      if (isUndecided && isExposed)
        held.set(
          path,
          `The ${kind} it is in is visible to more people on the other side: decide on the ${kind} first.`,
        );
      const isLeft = own === 'conflict' || own === 'blocked';
      if (
        !isLeft ||
        !((status === 'outgoing' && wider.ours && hasTheirs) || (status === 'incoming' && wider.theirs && hasOurs))
      )
        continue;
      held.set(
        record,
        `It would become visible to more people, and ${describeFilePath(path)} in it hasn't been decided on.`,
      );
    }
  }
  return held;
}

/** Of a step that changes who may see a namespace or dataset: `narrower` has to be done before what is added in it, `wider` after what is removed. */
export type AudienceChange = 'wider' | 'narrower';

/** The change that a step on a side makes, by the path of the record. */
export function audienceChangeOn(target: Side, wider: Wider | undefined): AudienceChange | undefined {
  if (!wider) return undefined;
  const [now, next] = target === 'theirs' ? [wider.theirs, wider.ours] : [wider.ours, wider.theirs];
  if (now) return 'narrower';
  return next ? 'wider' : undefined;
}
