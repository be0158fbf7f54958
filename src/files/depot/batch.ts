/** Changes of one call: what they have in common while they are done one after the other. */

import { unitKey } from '../../catalogue/layout.ts';
import type { Viewer } from '../../catalogue/permissions.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import type { Scope } from '../reading/unit-store.ts';
import { show } from '../writing/shown.ts';
import { Ids } from './ids.ts';
import { NewNames } from './names.ts';
import type { Access } from './rights.ts';

export class Batch implements Access {
  readonly files: FileCatalogue;
  readonly viewer: Viewer;
  readonly visible: () => Snapshot;
  readonly ids: Ids;
  readonly names: NewNames;
  /** What was written, and what of it nobody has looked at since. */
  readonly #touched = new Map<string, Scope>();
  readonly #fresh = new Map<string, Scope>();

  constructor({ files, viewer, visible }: Access) {
    this.files = files;
    this.viewer = viewer;
    this.visible = visible;
    this.ids = new Ids(this);
    this.names = new NewNames(files.root);
  }

  touch(...scopes: readonly Scope[]): void {
    for (const scope of scopes)
      for (const map of [this.#touched, this.#fresh]) map.set('folder' in scope ? scope.folder : unitKey(scope), scope);
  }

  /** Has the snapshot say what the files say by now: for what asks it before all is done. */
  async look(): Promise<void> {
    const scopes = [...this.#fresh.values()];
    this.#fresh.clear();
    if (scopes.length) await this.files.refresh(scopes);
  }

  /** All is done: whoever looks from now on sees it. */
  async end(): Promise<void> {
    if (this.#touched.size) await show(this.files, [...this.#touched.values()]);
  }
}
