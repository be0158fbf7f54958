/** Files with rows as sources: each is a dataset, and of a workbook, GeoPackage or archive of shapefiles each table in it. */
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { importedDataset, reasonOf, type SourceItem, skipUnread } from './imported.ts';

/** Names the tables of a file; empty if it has one. */
export type ListLayers = (path: string) => Promise<readonly string[]>;

/**
 * Unpacks a file with rows from a ZIP archive; see `unpackTable` in the room of rows.
 * @returns its name; null for a file that is read as it is
 */
export type UnpackTable = (path: string, layer: string | undefined, target: string) => Promise<string | null>;

const extension = /\.(?:csv|tsv|geojson|geojsonl|parquet|geoparquet|xlsx|xlsm|zip|shz|gpkg|fgb|kml|kmz|gpx)(?:\.gz)?$/i;

/** Deepest folder of a local source that is read. */
export const maxDepth = 30;
/** Folders and files that are no part of a source. */
export const isIgnored = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** True if a file is one with rows, by its name. JSON isn't: it may be a catalogue that is not understood. */
export const isDataFileName = (name: string): boolean => extension.test(name);

/** @param folder the source's folder, to which identifiers are relative */
export async function* readDataFile(
  path: string,
  folder: string,
  listLayers: ListLayers,
): AsyncGenerator<SourceItem, void, undefined> {
  const id = relative(folder, path).replaceAll('\\', '/');
  const name = basename(path).replace(extension, '');
  const format = /\.(?:zip|shz)$/i.test(path) ? 'zip' : undefined;
  let layers: readonly string[];
  try {
    layers = await listLayers(path);
  } catch (error) {
    yield skipUnread(id, reasonOf(error));
    return;
  }
  const link = { address: path, label: basename(path), format, isFile: true };
  if (layers.length <= 1) {
    yield asDataFile(importedDataset({ id, name, label: name, links: [link] }));
    return;
  }
  yield { total: layers.length };
  for (const layer of layers)
    yield asDataFile(
      importedDataset({ id: `${id}#${layer}`, name: `${name}-${layer}`, label: layer, links: [{ ...link, layer }] }),
    );
}

const asDataFile = (item: SourceItem): SourceItem =>
  'dataset' in item ? { dataset: { ...item.dataset, isDataFile: true } } : item;

/** The files with rows of a folder and those in it. */
export async function* readDataFolder(
  folder: string,
  root: string,
  listLayers: ListLayers,
  depth = 0,
): AsyncGenerator<SourceItem, void, undefined> {
  if (depth > maxDepth) return;
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (isIgnored(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* readDataFolder(path, root, listLayers, depth + 1);
    else if (entry.isFile() && isDataFileName(entry.name)) yield* readDataFile(path, root, listLayers);
  }
}
