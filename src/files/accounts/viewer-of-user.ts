/** The viewer that a user is. */
import type { Viewer } from '../../catalogue/permissions.ts';
import type { User } from '../../catalogue/types.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';

/** The viewer that a user is: a group whose record is gone gives no rights. */
export async function viewerOfUser(files: CatalogueFiles, { slug, staff, groups }: User): Promise<Viewer> {
  if (groups.length) await files.ensureRead(groups.map((group) => ({ kind: 'group', slug: group })));
  const { snapshot } = files;
  return { username: slug, staff, groups: groups.filter((group) => snapshot.groups.has(group)) };
}
