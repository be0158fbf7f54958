/** Files of the last export that nobody may see now. They are removed first: whatever ends the export later on, they are offline. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findDatasetAtAddress } from '../catalogue/aliases.ts';
import { audienceOfRecord } from '../catalogue/audience.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { datasetFolder, hasValidNames } from '../catalogue/layout.ts';
import { type DatasetRef, formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import type { FileCatalogue } from '../files/file-catalogue.ts';
import { nameAfterMove, type PublicRecords } from './dependencies.ts';
import { fileOfPath, mediaAddresses } from './site-addresses.ts';

/** A function that finds hidden files by the name of their unit: a filter for its files; undefined if all of them may be seen. */
export type HiddenFiles = (unit: string) => ((file: string) => boolean) | undefined;

const all = () => true;

/** Kind of the record that a unit is about, and its name. Tables have two kinds of units, and namespaces their lists. */
function recordOfUnit(unit: string): { readonly kind: string; readonly name: string } {
  const [kind = '', name = ''] = unit.split(' ');
  if (kind === 'table') return { kind: 'dataset', name };
  if (kind === 'snapshot') return { kind: 'dataset', name: name.split('/', 2).join('/') };
  const list = kind === 'list' ? fileOfPath(name)?.match(/\/namespaces\/([^/]+)\/datasets$/) : null;
  return list ? { kind: 'namespace', name: list[1] ?? '' } : { kind, name };
}

/** The dataset with a name in a list, which people who may change the site may have written; null for a wrong name. */
function datasetNamed(name: string): DatasetRef | null {
  const [namespace = '', slug = ''] = name.split('/');
  const ref = { kind: 'dataset', namespace, slug } as const;
  return hasValidNames(ref) ? ref : null;
}

/**
 * Files of records that everybody can't see any more, and of versions that are not served. The addresses of what was renamed
 * get a page that leads to the new one, and keep theirs until then.
 * @param units names of the units of the last export
 * @param media addresses of the images that are shown
 */
export async function filesHiddenFrom(
  catalogue: Catalogue,
  records: PublicRecords,
  units: Iterable<string>,
  media: Iterable<string>,
): Promise<HiddenFiles> {
  const datasets = new Map(records.datasets.map((dataset) => [formatRef(refOf(dataset)), dataset]));
  const named = (entities: readonly { readonly slug: string }[]) => new Set(entities.map(({ slug }) => slug));
  // People who may change the site may have written any kind into its list, such as "constructor".
  const names: ReadonlyMap<string, ReadonlySet<string>> = new Map([
    ['namespace', named(records.namespaces)],
    ['query', named(records.queries)],
    ['group', named(records.groups)],
  ]);
  const shown = new Set([...mediaAddresses(media)].map(({ file }) => file));
  const gone = new Set<string>();
  for (const unit of units) {
    const { kind, name } = recordOfUnit(unit);
    const isGone =
      kind === 'dataset'
        ? !datasets.has(name) && datasetNamed(name) !== null && !(await nameAfterMove(catalogue, name))
        : names.get(kind)?.has(name) === false;
    if (isGone) gone.add(unit);
  }
  return (unit) => {
    if (gone.has(unit)) return all;
    if (unit === 'media') return (file) => !shown.has(file);
    const { kind, name } = recordOfUnit(unit);
    const dataset = kind === 'dataset' ? datasets.get(name) : undefined;
    return unit.startsWith('dataset ') && dataset ? unservedFiles(dataset) : undefined;
  };
}

/** Data below the addresses of versions that are removed, or not served. */
function unservedFiles(dataset: Dataset): (file: string) => boolean {
  const folder = fileOfPath(`${apiPath(refOf(dataset))}version/`) ?? '';
  const ready = new Map(dataset.versions.map(({ slug, ready }) => [slug, ready]));
  return (file) => {
    if (!file.startsWith(`${folder}/`)) return false;
    const [slug = '', ...rest] = file.slice(folder.length + 1).split('/');
    if (rest.length === 0 || ['latest', 'page'].includes(slug) || ready.get(slug)) return false;
    return !ready.has(slug) || /^(data\.|map\.|plate\.|profile\/|embed\/|download\/(?!index\.))/.test(rest.join('/'));
  };
}

/**
 * Files of namespaces, datasets and saved queries that are private by their records, and of datasets that have no folder any
 * more: of a catalogue in which other records can't be read.
 */
export function filesHiddenInFolder({ root, snapshot }: FileCatalogue): HiddenFiles {
  const hidden = new Map<string, boolean>();
  const isHidden = (kind: string, name: string): boolean => {
    if (kind === 'namespace') return isPrivate(audienceOfRecord(snapshot, { kind, slug: name }));
    // The dataset of a query may be what can't be read.
    const query = kind === 'query' ? snapshot.queries.get(name) : undefined;
    if (query && findDatasetAtAddress(snapshot, query.dataset))
      return isPrivate(audienceOfRecord(snapshot, { kind: 'query', slug: name }));
    const ref = kind === 'dataset' ? datasetNamed(name) : null;
    if (!ref) return false;
    const { namespace, slug } = ref;
    if (snapshot.folders.get(namespace)?.datasets.has(slug)) return isPrivate(audienceOfRecord(snapshot, ref));
    return snapshot.folders.has(namespace) && !existsSync(join(root, datasetFolder(namespace, slug)));
  };
  return (unit) => {
    const { kind, name } = recordOfUnit(unit);
    const known = hidden.get(`${kind} ${name}`) ?? isHidden(kind, name);
    hidden.set(`${kind} ${name}`, known);
    return known ? all : undefined;
  };
}

/** True for the audience of a record that is there, and that not everybody may see. */
const isPrivate = (audience: string | null): boolean => audience !== null && audience !== '*';
