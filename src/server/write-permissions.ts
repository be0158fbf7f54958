/**
 * Whether the viewer may write at an address: found out before the body is read, so that nobody learns first that a body is
 * invalid and then that they may not send it. The catalogue checks each change again, by what it contains.
 */
import type { CreatableKind, WritableKind } from '../catalogue/catalogue.ts';
import { MovedError, NotFoundError, NotPermittedError } from '../catalogue/errors.ts';
import { isUserOrStaff } from '../catalogue/permissions.ts';
import type { Entities, Namespace } from '../catalogue/types.ts';
import { mayWriteIn } from './dataset-state.ts';
import type { RequestContext } from './route.ts';

/**
 * Refuses the creation of an entity by those who may create none: all but staff, or who own no namespace since they are in no
 * group. Which namespace a dataset or query is for is only known from its body.
 * @throws NotPermittedError
 */
export function assertMayCreate({ viewer }: RequestContext, kind: CreatableKind): void {
  const isForOwners = kind === 'dataset' || kind === 'query';
  if (!viewer.staff && !(isForOwners && viewer.groups.length > 0)) throw new NotPermittedError();
}

/** Refuses the edit of an entity by others than its owners. @throws NotPermittedError */
export async function assertMayEdit(
  { viewer, catalogue }: Pick<RequestContext, 'viewer' | 'catalogue'>,
  entity: Entities[WritableKind],
): Promise<void> {
  if (viewer.staff) return;
  const namespace = await namespaceOf(catalogue, entity);
  const may = entity.kind === 'user' ? isUserOrStaff(viewer, entity.slug) : namespace && mayWriteIn(viewer, namespace);
  if (!may) throw new NotPermittedError();
}

/** The namespace whose owners may write an entity; null if there is none, or the viewer may not see it. */
async function namespaceOf(
  catalogue: RequestContext['catalogue'],
  entity: Entities[WritableKind],
): Promise<Namespace | null> {
  if (entity.kind === 'namespace') return entity;
  if (entity.kind === 'user' || entity.kind === 'group') return null;
  const [slug = ''] = entity.kind === 'query' ? entity.dataset.split('/') : [entity.namespace];
  try {
    return await catalogue.get<'namespace'>({ kind: 'namespace', slug });
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof MovedError) return null;
    throw error;
  }
}
