/** Files by path, which are moved and removed with the folders that they are in, without a look at all others. */
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import { containerFolder } from './files.ts';
import { pathAfterMove, type Renaming } from './moves.ts';

export class StateFiles<T> {
  readonly #files = new Map<string, T>();
  /** Paths by the folders of namespaces and datasets that they are in; null until a folder is moved or removed. */
  #pathsByFolder: Map<string, Set<string>> | null = null;

  get byPath(): ReadonlyMap<string, T> {
    return this.#files;
  }

  set(path: string, file: T): void {
    this.#files.set(path, file);
    if (this.#pathsByFolder) addToFolders(this.#pathsByFolder, path);
  }

  delete(path: string): void {
    this.#files.delete(path);
    for (const folder of this.#pathsByFolder ? enclosingContainerFolders(path) : [])
      this.#pathsByFolder?.get(folder)?.delete(path);
  }

  /** Removes a file; the record of a namespace or dataset with the files in its folder. */
  remove(path: string): void {
    for (const one of this.#pathsMovedWith(path)) this.delete(one);
  }

  /** Moves a record; that of a namespace or dataset with the files in its folder. */
  move({ path, to }: Renaming): void {
    const moved = this.#pathsMovedWith(path).flatMap((from) => {
      const file = this.#files.get(from);
      return file === undefined ? [] : [{ from, file }];
    });
    for (const { from } of moved) this.delete(from);
    for (const { from, file } of moved) this.set(pathAfterMove(from, { path, to }), file);
  }

  #pathsMovedWith(record: string): readonly string[] {
    const folder = containerFolder(record);
    if (folder === null) return [record];
    if (this.#pathsByFolder === null) {
      this.#pathsByFolder = new Map();
      for (const path of this.#files.keys()) addToFolders(this.#pathsByFolder, path);
    }
    return [...(this.#pathsByFolder.get(folder) ?? [])];
  }
}

function addToFolders(pathsByFolder: Map<string, Set<string>>, path: string): void {
  for (const folder of enclosingContainerFolders(path)) {
    const paths = pathsByFolder.get(folder);
    if (paths) paths.add(path);
    else pathsByFolder.set(folder, new Set([path]));
  }
}
