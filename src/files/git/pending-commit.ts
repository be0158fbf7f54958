/** Git commits that are still to be made, and the paths of their files. */

export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Contents of a commit; paths are relative to the catalogue folder, with slashes. */
export interface PendingCommit {
  readonly author: Author;
  readonly date: Date;
  readonly message: string;
  /** Files and folders to commit as they are on disk. */
  readonly paths: readonly string[];
  /** Texts of records by path, to commit as they were written. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Paths of the files and folders of a commit. */
export const pathsOf = ({ paths, texts }: PendingCommit): readonly string[] => [
  ...new Set([...paths, ...texts.keys()]),
];

/** Paths of files and folders. */
export class PathSet {
  readonly #paths = new Set<string>();
  /** Paths of the folders above them. */
  readonly #parents = new Set<string>();

  constructor(paths: readonly string[] = []) {
    this.add(paths);
  }

  add(paths: readonly string[]): void {
    for (const path of paths) {
      this.#paths.add(path);
      for (const parent of parentsOf(path)) this.#parents.add(parent);
    }
  }

  /** True if one of the paths is in the set, or lies in one that is, or above one. */
  overlaps(paths: readonly string[]): boolean {
    return paths.some(
      (path) =>
        this.#paths.has(path) || this.#parents.has(path) || parentsOf(path).some((parent) => this.#paths.has(parent)),
    );
  }
}

/** Paths of the folders above a path. */
const parentsOf = (path: string): readonly string[] =>
  path.split('/').flatMap((_, i, names) => (i === 0 ? [] : [names.slice(0, i).join('/')]));
