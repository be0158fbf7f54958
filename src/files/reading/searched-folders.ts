/**
 * The folders that were searched for units: their stamps, and the diagnostics of what else was found in them. While the stamps
 * are the same, there are no other units than those that were found.
 */
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { type PackedStamps, packStamps, unpackStamps } from '../tree/stamps.ts';
import type { ScanResult } from './scan.ts';
import { haveUnchangedFiles } from './unchanged-files.ts';

/** What a search found besides units. */
export type FoundBesides = Exclude<ScanResult, { unit: unknown }>;

export class SearchedFolders {
  #stamps: PackedStamps = '';
  #strays = new Map<string, readonly Diagnostic[]>();

  /** The stamps, for a cache; '' if files have diagnostics, which aren't in the cache. */
  get stamps(): PackedStamps {
    return this.#strays.size ? '' : this.#stamps;
  }

  /** Takes the stamps from a cache. */
  restore(stamps: PackedStamps): void {
    this.#stamps = stamps;
  }

  /** True if all folders were searched, and none has changed since. */
  areUnchanged(tree: DiskTree): boolean {
    return this.stamps !== '' && haveUnchangedFiles(tree, { stamps: this.stamps, payloads: '' });
  }

  /**
   * Takes what was found below a prefix.
   * @returns the diagnostics that may be others than before, by path; an empty list for a path that has none any more
   */
  replace(prefix: string, found: readonly FoundBesides[]): ReadonlyMap<string, readonly Diagnostic[]> {
    const stamps = new Map(unpackStamps(prefix === '' ? '' : this.#stamps));
    const strays = new Map<string, readonly Diagnostic[]>();
    for (const one of found) {
      if ('stray' in one) strays.set(one.stray.path, [...(strays.get(one.stray.path) ?? []), one.stray]);
      // Folders above the prefix are searched for a part of their units.
      else if (`${one.folder}/`.startsWith(prefix)) stamps.set(one.folder, one.stamp);
    }
    // A part says nothing about the rest, if that was never searched.
    if (prefix === '' || this.#stamps !== '') this.#stamps = packStamps(stamps);
    return this.#replaceStrays(prefix, strays);
  }

  #replaceStrays(
    prefix: string,
    strays: Map<string, readonly Diagnostic[]>,
  ): ReadonlyMap<string, readonly Diagnostic[]> {
    const changed = new Map<string, readonly Diagnostic[]>();
    for (const path of this.#strays.keys()) if (path.startsWith(prefix) && !strays.has(path)) changed.set(path, []);
    for (const [path, found] of strays) {
      // Equal diagnostics stay the same objects.
      const before = this.#strays.get(path);
      if (before && JSON.stringify(before) === JSON.stringify(found)) strays.set(path, before);
      changed.set(path, strays.get(path) ?? found);
    }
    this.#strays = new Map([...[...this.#strays].filter(([path]) => !path.startsWith(prefix)), ...strays]);
    return changed;
  }
}
