/** Names in a catalogue, for completion: read from the folder's listing, or asked of the remote. */
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { DatasetRef, Ref } from '../../catalogue/ref.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { NamesRequest } from '../../files/folder.ts';
import { listEntities } from '../lookup.ts';
import { ageText } from '../output/quantities.ts';

export interface Names {
  /** Names of a kind; of a remote, at most 2000. */
  names(listed: NamesRequest): Promise<readonly string[]>;
  /** A short description; '' if there is none, or the record is broken. */
  described(ref: Ref): Promise<string>;
  /** The dataset; undefined if it doesn't exist. */
  dataset(ref: DatasetRef): Promise<Dataset | undefined>;
  /** The dataset of a query. */
  datasetOf(query: string): Promise<string | undefined>;
}

/** The most names that are asked of a remote. */
const most = 2000;

/**
 * @param folderOf the absolute path of the catalogue's folder; undefined for a remote
 * @param open opens the catalogue; called if more than names is needed
 */
export function nameSourceForCompletion(folderOf: () => string | undefined, open: () => Promise<Catalogue>): Names {
  return {
    async names(listed) {
      const folder = folderOf();
      if (folder !== undefined) return (await import('../../files/folder.ts')).listRecordNames(folder, listed);
      const { kind, ...within } = listed;
      const entities = await listEntities<typeof kind>(await open(), kind, within, most);
      return entities.map(({ slug }) => slug);
    },

    async described(ref) {
      try {
        const entity = await (await open()).get<Ref['kind']>(ref);
        if (entity.kind === 'version') return entity.ready ? ageText(entity.datetime) : 'not ready';
        if (entity.kind === 'user') return entity.name;
        return 'label' in entity ? entity.label : '';
      } catch {
        return '';
      }
    },

    dataset: async (ref) => (await open()).get<'dataset'>(ref).catch(() => undefined),

    async datasetOf(slug) {
      const query = await (await open()).get<'query'>({ kind: 'query', slug }).catch(() => undefined);
      return query?.dataset;
    },
  };
}
