/** The trash of a catalogue folder, as one viewer may look into it and empty it. */
import { NotFoundError, NotPermittedError } from '../../catalogue/errors.ts';
import { mayWrite, type Viewer } from '../../catalogue/permissions.ts';
import type { Trash, TrashEntry } from '../../catalogue/trash.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { restored } from '../git/commits.ts';
import { restore } from './restoring.ts';
import { deleteEntry, emptyTrash, listTrash } from './trash.ts';

export class FileTrash implements Trash {
  readonly #files: FileCatalogue;
  readonly #viewer: Viewer;

  constructor(files: FileCatalogue, viewer: Viewer) {
    this.#files = files;
    this.#viewer = viewer;
  }

  async list(): Promise<readonly TrashEntry[]> {
    if (!this.#viewer.staff) throw new NotPermittedError();
    return listTrash(this.#files.root);
  }

  async restore(id: string, { rehearse = false }: { rehearse?: boolean | undefined } = {}): Promise<TrashEntry> {
    const entry = await this.#entry(id);
    // Else its removal might be committed when it is back.
    if (!rehearse) await this.#files.commits.caughtUp();
    const work = () => restore(this.#files, entry, { rehearse });
    await this.#files.commits.during(this.#viewer.username, work, () => restored(entry.ref));
    return entry;
  }

  async remove(id: string): Promise<void> {
    await deleteEntry(this.#files.root, (await this.#entry(id)).id);
  }

  async empty(before?: Date): Promise<readonly TrashEntry[]> {
    this.#mustBeKeeper();
    return emptyTrash(this.#files.root, before);
  }

  /** An id may be anything that somebody typed: only what is listed is taken for one. */
  async #entry(id: string): Promise<TrashEntry> {
    this.#mustBeKeeper();
    const entry = (await this.list()).find((one) => one.id === id);
    if (!entry) throw new NotFoundError();
    return entry;
  }

  /** What lies in the trash lies in no namespace: it is for staff to write. */
  #mustBeKeeper(): void {
    if (!mayWrite(this.#viewer, undefined)) throw new NotPermittedError();
  }
}
