/** Rights by which a user sees the files of the remote: with fewer of them, a missing file may only be hidden. Pure. */
import { ConflictError } from '../catalogue/errors.ts';
import type { Viewer } from '../catalogue/permissions.ts';

/** The user who is signed in to the remote. */
export type RemoteViewer = Pick<Viewer, 'username' | 'staff' | 'groups'>;

/** Each grants the sight of some files: `staff` of all, others as `user bob` and `group gardeners`. Sorted. */
export type Rights = readonly string[];

const staff = 'staff';

/** Rights of which only staff may have all. */
const unknownRights: Rights = ['unknown'];

/** The rights in a common state of an older program, which kept only if the user was signed in. */
export const rightsOfOlderState = ({ signedIn }: { readonly signedIn?: boolean }): Rights =>
  signedIn === false ? [] : unknownRights;

/** The rights of a user; none for a client that isn't signed in. */
export function rightsOf(viewer: RemoteViewer): Rights {
  if (viewer.staff) return [staff];
  if (viewer.username === null) return [];
  return [...viewer.groups.map((group) => `group ${group}`), `user ${viewer.username}`].sort();
}

/** True if someone with these rights sees all files that the others show. */
export const includeRights = (rights: Rights, others: Rights): boolean =>
  rights.includes(staff) || others.every((right) => rights.includes(right));

/** The rights of both. */
export const joinRights = (rights: Rights, others: Rights): Rights => [...new Set([...rights, ...others])].sort();

/**
 * Reason why files that the remote lacks may only be hidden from a user; undefined if they were removed.
 * @param seenBy rights by which the files of the last common state were seen
 */
export function reasonIfHidden(viewer: RemoteViewer, seenBy: Rights): string | undefined {
  if (includeRights(rightsOf(viewer), seenBy)) return undefined;
  const { username } = viewer;
  return username === null
    ? 'It was removed from the remote, or it is hidden because you are not signed in: sign in to the remote again.'
    : `It was removed from the remote, or it is hidden from ${username}, who doesn't have all the rights of the last pull ` +
        "or push. Sign in with those rights; or, if you don't need the local one, remove it.";
}

/** A push would remove the user who is signed in. The command line adds what to type. */
export class RemovedUserError extends ConflictError {
  readonly username: string;

  constructor(message: string, username: string) {
    super(message);
    this.username = username;
  }
}
