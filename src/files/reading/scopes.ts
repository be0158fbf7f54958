/** Scopes to read for one question, in a catalogue that hasn't been read as a whole. */
import type { ListOptions } from '../../catalogue/catalogue.ts';
import { namespaceFolder, recordFolders, type Scope } from '../../catalogue/layout.ts';
import type { DatasetRef, NamespaceRef, Ref } from '../../catalogue/ref.ts';
import type { Kind } from '../../catalogue/types.ts';

const settings = { kind: 'settings' } as const;

/** Scopes to read in order to find one entity. */
export function scopesOf(ref: Exclude<Ref, { kind: 'file' }>): readonly Scope[] {
  switch (ref.kind) {
    case 'dataset':
      return [settings, { kind: 'namespace', slug: ref.namespace }, ref];
    case 'version':
      return [settings, { kind: 'namespace', slug: ref.namespace }, { ...ref, kind: 'dataset', slug: ref.dataset }];
    case 'group':
      return [settings, ref, { folder: `${recordFolders.user}/` }];
    default:
      return [settings, ref];
  }
}

/** Scopes to read in order to list what is in one record, the container. If that isn't found, it may have been renamed. */
export interface ListScopes {
  readonly scopes: readonly Scope[];
  readonly container: NamespaceRef | DatasetRef;
}

/** Scopes to read for a list of the datasets of a namespace or the versions of a dataset; undefined for other lists. */
export function scopesOfList(kind: Kind, { namespace, dataset }: ListOptions): ListScopes | undefined {
  if (namespace === undefined) return undefined;
  if (kind === 'dataset' && dataset === undefined) {
    const scopes = [settings, { folder: `${namespaceFolder(namespace)}/` }];
    return { scopes, container: { kind: 'namespace', slug: namespace } };
  }
  if (kind !== 'version' || dataset === undefined) return undefined;
  const container = { kind: 'dataset', namespace, slug: dataset } as const;
  return { scopes: scopesOf(container), container };
}
