/** `--dry-run`: what creating, editing and removing would do, checked and not done. */
import type { Catalogue, Input } from '../catalogue/catalogue.ts';
import { datasetFrom, namespaceFrom } from '../catalogue/entities.ts';
import { ConflictError } from '../catalogue/errors.ts';
import { parseInput } from '../catalogue/input.ts';
import type { DatasetRef, NamespaceRef } from '../catalogue/ref.ts';
import type { RecordOf } from '../catalogue/schemas.ts';
import { mustBeFree, refFrom } from './taken.ts';

export type Writes = Pick<Catalogue, 'create' | 'edit' | 'remove'>;

/** The writing side of a catalogue, which answers as the catalogue would and leaves it as it is. */
export function rehearsal(catalogue: Catalogue): Writes {
  const rehearsed = {
    async create(kind: 'namespace' | 'dataset', input: Input) {
      const fields = parseInput(kind, input, { partial: false });
      const ref = refFrom(kind, fields);
      await mustBeFree(catalogue, ref);
      return entityFrom(ref, fields);
    },

    async edit(ref: NamespaceRef | DatasetRef, input: Input) {
      const current = await catalogue.get<'namespace' | 'dataset'>(ref);
      const fields = { ...current, ...parseInput(ref.kind, input, { partial: true, label: current.label }) };
      await mustBeFree(catalogue, refFrom(ref.kind, fields), ref);
      return Object.freeze(fields);
    },

    async remove(ref: NamespaceRef | DatasetRef) {
      await catalogue.get<'namespace' | 'dataset'>(ref);
      if (ref.kind === 'dataset') return;
      const { count } = await catalogue.list('dataset', { namespace: ref.slug, pageSize: 1 });
      if (count)
        throw new ConflictError(
          `The namespace ${ref.slug} still has ${count === 1 ? 'a dataset' : `${count} datasets`}. ` +
            `Remove or move them first; see: catalogue dataset list ${ref.slug}`,
        );
    },
  };
  return rehearsed as Writes;
}

function entityFrom(ref: NamespaceRef | DatasetRef, fields: Input) {
  return ref.kind === 'namespace'
    ? namespaceFrom(ref.slug, fields as RecordOf<'namespace'>)
    : datasetFrom(ref.namespace, ref.slug, fields as RecordOf<'dataset'>);
}
