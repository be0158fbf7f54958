/** Pictures belong to the datasets that show them: one of private datasets alone isn't there for who may not see those. */
import { picturesOf } from '../catalogue/entities.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { Dataset } from '../catalogue/types.ts';

const named = new WeakMap<Dataset, readonly string[]>();
const inSnapshot = new WeakMap<Snapshot, ReadonlySet<string>>();

/** The files below site_media/ that the datasets of a snapshot name, in their fields or descriptions. */
export function shownImages(snapshot: Snapshot): ReadonlySet<string> {
  let images = inSnapshot.get(snapshot);
  if (images) return images;
  images = new Set([...snapshot.folders.values()].flatMap(({ datasets }) => [...datasets.values()].flatMap(ofDataset)));
  inSnapshot.set(snapshot, images);
  return images;
}

/**
 * Whether a file below site_media/ is shown by datasets, none of which a viewer may see.
 * @param path relative to the catalogue folder, with slashes
 * @param visible what the viewer sees of the whole
 */
export function isMediaHidden(path: string, whole: Snapshot, visible: Snapshot): boolean {
  return visible !== whole && shownImages(whole).has(path) && !shownImages(visible).has(path);
}

function ofDataset(dataset: Dataset): readonly string[] {
  let images = named.get(dataset);
  if (!images) {
    images = [...picturesOf(dataset).map(([, address]) => address), dataset.description].flatMap(imagesIn);
    named.set(dataset, images);
  }
  return images;
}

function imagesIn(text: string): readonly string[] {
  return [...text.matchAll(/\/(site_media\/[^\s"'<>()?#]+)/g)].map(([, path = '']) => {
    try {
      return decodeURIComponent(path);
    } catch {
      return path;
    }
  });
}
