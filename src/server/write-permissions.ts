/**
 * Whether the viewer may write at an address: found out before the body is read, so that nobody learns first that a body is
 * invalid and then that they may not send it. The catalogue checks each change again, by what it contains.
 */
import type { CreatableKind, WritableKind } from '../catalogue/catalogue.ts';
import { NotPermittedError } from '../catalogue/errors.ts';
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
  { viewer, catalogue }: RequestContext,
  entity: Entities[WritableKind],
): Promise<void> {
  if (viewer.staff) return;
  const namespace = await namespaceOf(catalogue, entity);
  const may = entity.kind === 'user' ? isUserOrStaff(viewer, entity.slug) : namespace && mayWriteIn(viewer, namespace);
  if (!may) throw new NotPermittedError();
}

/** The namespace whose owners may write an entity; null if there is none. */
async function namespaceOf(
  catalogue: RequestContext['catalogue'],
  entity: Entities[WritableKind],
): Promise<Namespace | null> {
  switch (entity.kind) {
    case 'namespace':
      return entity;
    case 'dataset':
    case 'version':
      return catalogue.get<'namespace'>({ kind: 'namespace', slug: entity.namespace });
    case 'query': {
      const [slug = ''] = entity.dataset.split('/');
      return catalogue.get<'namespace'>({ kind: 'namespace', slug }).catch(() => null);
    }
    default:
      return null;
  }
}
