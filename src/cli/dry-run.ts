/** `--dry-run` of creating, editing and removing: everything is checked and nothing is written. */
import type { Catalogue, CreatableKind, Input } from '../catalogue/catalogue.ts';
import { datasetFrom, groupFrom, namespaceFrom, queryFrom, userFrom } from '../catalogue/entities.ts';
import { ConflictError } from '../catalogue/errors.ts';
import { parseInput } from '../catalogue/input.ts';
import type { RecordOf } from '../catalogue/records.ts';
import type { VersionRef } from '../catalogue/ref.ts';
import type { Column } from '../catalogue/types.ts';
import { assertNameFree, type CreatableRef, refFrom } from './name-conflict.ts';

export type Writes = Pick<Catalogue, 'create' | 'edit' | 'remove'>;

/** The writing methods of a catalogue, with the same answers and without the writing. */
export function dryRunOf(catalogue: Catalogue): Writes {
  const rehearsed = {
    async create(kind: CreatableKind, input: Input) {
      const fields = await named(parseInput(kind, input, { partial: false }));
      const ref = refFrom(kind, fields);
      await assertNameFree(catalogue, ref, null);
      return entityFrom(ref, fields);
    },

    async edit(ref: CreatableRef | VersionRef, input: Input) {
      const current = await catalogue.get<CreatableKind | 'version'>(ref);
      const label = 'label' in current ? current.label : '';
      const given = await named(parseInput(ref.kind, input, { partial: true, label }));
      const fields = { ...current, ...given, ...(given.columns ? { columns: merged(current, given.columns) } : {}) };
      if (ref.kind !== 'version') await assertNameFree(catalogue, refFrom(ref.kind, fields), ref);
      return Object.freeze(fields);
    },

    async remove(ref: CreatableRef | VersionRef) {
      await catalogue.get<CreatableKind | 'version'>(ref);
      if (ref.kind !== 'namespace') return;
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

/** The fields with images under the addresses that they would get. */
async function named(fields: Input): Promise<Input> {
  if (!Object.values(fields).some((value) => value instanceof Uint8Array)) return fields;
  const { withImageAddresses } = await import('../files/folder.ts');
  return withImageAddresses(fields);
}

function entityFrom(ref: CreatableRef, fields: Input) {
  switch (ref.kind) {
    case 'namespace':
      return namespaceFrom(ref.slug, fields as RecordOf<'namespace'>);
    case 'dataset':
      return datasetFrom(ref.namespace, ref.slug, fields as RecordOf<'dataset'>);
    case 'query':
      return queryFrom(ref.slug, fields as unknown as RecordOf<'query'>);
    case 'group':
      return { ...groupFrom(ref.slug, fields as RecordOf<'group'>), members: (fields.members ?? []) as string[] };
    case 'user':
      return userFrom(ref.slug, fields as RecordOf<'user'>);
  }
}

/** A dataset's columns with the words that are given for some of them. */
function merged(current: object, words: unknown): readonly Column[] {
  const columns = 'columns' in current ? (current.columns as readonly Column[]) : [];
  const given = new Map((words as Partial<Column>[]).map((column) => [column.name, column]));
  return columns.map((column) => ({ ...column, ...given.get(column.name) }));
}
