/** Images in site_media/ that records show: one that only hidden records show is hidden, too. */
import { datasetImageAddresses } from '../catalogue/entities.ts';
import { parseCataloguePath } from '../catalogue/layout.ts';
import type { Folder, Snapshot } from '../catalogue/snapshot.ts';
import type { Dataset } from '../catalogue/types.ts';

const imagesByDataset = new WeakMap<Dataset, readonly string[]>();
const imagesByDatasets = new WeakMap<Folder['datasets'], ReadonlySet<string>>();
const imagesBySnapshot = new WeakMap<Snapshot, ReadonlySet<string>>();

/** Paths of the images that the settings, namespaces, datasets and queries of a snapshot show, in their fields and texts. */
export function imagesShown(snapshot: Snapshot): ReadonlySet<string> {
  let images = imagesBySnapshot.get(snapshot);
  if (!images) {
    const found = new Set<string>();
    const { description, logo } = snapshot.settings;
    for (const image of [...imagesIn(description), ...imagesIn(logo)]) found.add(image);
    for (const { namespace, datasets, isPartial } of snapshot.folders.values()) {
      if (namespace && !isPartial) for (const image of imagesIn(namespace.description)) found.add(image);
      for (const image of imagesOfAll(datasets)) found.add(image);
    }
    for (const { description } of snapshot.queries.values())
      for (const image of imagesIn(description)) found.add(image);
    images = found;
    imagesBySnapshot.set(snapshot, images);
  }
  return images;
}

/** Images that the datasets of a namespace show, kept while they are the same: a change doesn't read all texts again. */
function imagesOfAll(datasets: Folder['datasets']): ReadonlySet<string> {
  let images = imagesByDatasets.get(datasets);
  if (!images) {
    const found = new Set<string>();
    for (const dataset of datasets.values()) for (const image of imagesOf(dataset)) found.add(image);
    images = found;
    imagesByDatasets.set(datasets, images);
  }
  return images;
}

/**
 * True if only records that the viewer may not see show a file in site_media/.
 * @param path relative to the catalogue folder, with slashes
 * @param visible the part of the snapshot that the viewer may see
 */
export function isMediaHidden(path: string, whole: Snapshot, visible: Snapshot): boolean {
  return visible !== whole && imagesShown(whole).has(path) && !imagesShown(visible).has(path);
}

/**
 * True if a file in site_media/ is an upload that nothing shows which the viewer may see. The record that showed it may be in the
 * trash, or broken, or have another image now, and it may have been private. On some disks, a name in other case is that of the same file.
 */
export const isUploadUnshown = (path: string, visible: Snapshot): boolean =>
  isNamedByChecksum(path.toLowerCase()) && !imagesShown(visible).has(path);

/** True if an image has the name of an upload. */
export const isNamedByChecksum = (path: string): boolean => checksumInName(path) !== undefined;

/** The checksum of which the name of an upload is made. */
export function checksumInName(path: string): string | undefined {
  const info = parseCataloguePath(path);
  return info.kind === 'media' ? /^images\/([0-9a-f]{32})\.[^/]*$/.exec(info.name)?.[1] : undefined;
}

function imagesOf(dataset: Dataset): readonly string[] {
  let images = imagesByDataset.get(dataset);
  if (!images) {
    const { description, columns, versions } = dataset;
    images = [
      ...datasetImageAddresses(dataset).map(([, address]) => address),
      description,
      ...columns.map((column) => column.description),
      ...versions.map(({ notes }) => notes),
    ].flatMap(imagesIn);
    imagesByDataset.set(dataset, images);
  }
  return images;
}

const none: readonly never[] = [];

/**
 * Paths of the images in site_media/ that a text names, be it an address, which may have blanks, or Markdown: an address in
 * angle brackets, or one without blanks that ends at a parenthesis of the text around it (CommonMark, section 6.3).
 */
export function imagesIn(text: string): readonly string[] {
  if (!text.includes('/site_media/')) return none;
  const patterns = [/^[^\s?#]*?\/(site_media\/[^?#\n]+)/g, /<[^<>\n]*?\/(site_media\/[^<>?#\n]+)/g];
  const whole = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = '']) => path));
  const words = [...text.matchAll(/\/(site_media\/[^\s"'<>?#]+)/g)].map(([, path = '']) => withoutParenthesis(path));
  return [...new Set([...whole, ...words].map(decoded))];
}

/** The part of a text before the first closing parenthesis that it doesn't open. */
function withoutParenthesis(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth < 0) return text.slice(0, at);
  }
  return text;
}

/** A path without the backslashes of Markdown and with characters for percent-encoded ones. */
function decoded(path: string): string {
  const plain = path.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
