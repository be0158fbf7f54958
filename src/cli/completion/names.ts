/** Names in a catalogue, for whoever types one: of a folder as it lists them, of a catalogue elsewhere as it answers. */
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { DatasetRef, Ref } from '../../catalogue/ref.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { Listed } from '../../files/folder.ts';
import { listAll } from '../lookup.ts';
import { ageText } from '../output/quantities.ts';

export interface Names {
  /** Those of which there may be many are cut off somewhere. */
  names(listed: Listed): Promise<readonly string[]>;
  /** What is to be said of it; '' where nothing is, or it is broken. */
  described(ref: Ref): Promise<string>;
  /** Undefined where there is none. */
  dataset(ref: DatasetRef): Promise<Dataset | undefined>;
  /** The dataset that a saved question is about. */
  datasetOf(query: string): Promise<string | undefined>;
}

/** More than that, nobody looks through. */
const most = 2000;

/**
 * @param folderOf the absolute path of the catalogue's folder; undefined where it is elsewhere
 * @param open opens the catalogue; called when more than names is asked for
 */
export function namesOf(folderOf: () => string | undefined, open: () => Promise<Catalogue>): Names {
  return {
    async names(listed) {
      const folder = folderOf();
      if (folder !== undefined) return (await import('../../files/folder.ts')).listNames(folder, listed);
      const { kind, ...within } = listed;
      const entities = await listAll<typeof kind>(await open(), kind, within, most);
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
