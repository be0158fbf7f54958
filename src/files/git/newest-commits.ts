/**
 * The newest commits of many files, from one walk of the history. They are those of `git log -1 -- <path>`, with its history
 * simplification: at a merge, a file is followed to the first parent that has it unchanged; if every parent has another content, the merge is its newest commit.
 */

export interface NewestCommitsRequest {
  /** Id of the commit from which on the history is read. */
  readonly head: string;
  /** Paths of files relative to the folder in which git runs. */
  readonly paths: readonly string[];
}

/**
 * Arguments of git for a history that `NewestCommits` reads: of each commit, children first, a line with its parents, and the files
 * that differ from each parent. Paths are no arguments: git would compare each with every entry of a folder.
 */
export const newestCommitsArguments = (head: string): readonly string[] => [
  ...['-c', 'log.showSignature=false', '-c', 'log.diffMerges=separate', 'log'],
  ...['--topo-order', '--oneline', '--no-abbrev-commit', '--parents', '--no-decorate', '--no-notes', '--no-color'],
  ...['-m', '--root', '--name-status', '--no-renames', '--relative', '-z', head, '--'],
];

/** Line of a commit: its id, those of its parents, and the parent with which it is compared, if it has several. */
const commitLine = /^([0-9a-f]{40,64})((?: [0-9a-f]{40,64})*)(?: \(from ([0-9a-f]+)\))? /;

/** Reads git's output in pieces, and follows each file until its newest commit is found. */
export class NewestCommits {
  /** Files that are followed, by the id of the next commit to look at. */
  readonly #followed: Map<string, Set<string>>;
  readonly #found: [path: string, commit: string][] = [];
  #rest: Buffer = Buffer.alloc(0);
  #commit = '';
  #parents: readonly string[] = [];
  /** Followed files that differ from a parent, by its id; of the first commit, from ''. */
  #changed = new Map<string, Set<string>>();
  #comparedWith = '';
  /** True if the next part of the output is a path. */
  #isPath = false;

  constructor({ head, paths }: NewestCommitsRequest) {
    this.#followed = new Map([[head, new Set(paths)]]);
  }

  /** Takes the next piece of the output. @returns true if every file has been found */
  push(chunk: Buffer): boolean {
    const bytes = this.#rest.length ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(0) + 1;
    this.#rest = bytes.subarray(end);
    if (end > 0) for (const part of bytes.toString('utf8', 0, end - 1).split('\0')) this.#take(part);
    return this.#followed.size === 0;
  }

  /** Files and the ids of their newest commits, after the end of the output. Files that the history lacks are left out. */
  end(): readonly (readonly [path: string, commit: string])[] {
    this.#endCommit();
    return this.#found;
  }

  #take(part: string): void {
    if (this.#isPath) {
      this.#isPath = false;
      if (this.#followed.get(this.#commit)?.has(part)) this.#changed.get(this.#comparedWith)?.add(part);
    } else if (part.length === 1) this.#isPath = true;
    else this.#startComparison(part);
  }

  #startComparison(line: string): void {
    const [, commit = '', parents = '', from] = commitLine.exec(line) ?? [];
    if (commit !== this.#commit) {
      this.#endCommit();
      this.#commit = commit;
      this.#parents = parents.split(' ').filter(Boolean);
    }
    this.#comparedWith = from ?? this.#parents[0] ?? '';
    this.#changed.set(this.#comparedWith, new Set());
  }

  #endCommit(): void {
    const [first = '', ...others] = this.#parents;
    const files = this.#followed.get(this.#commit);
    this.#followed.delete(this.#commit);
    for (const path of files ? (this.#changed.get(first) ?? []) : []) {
      files?.delete(path);
      const unchanged = others.find((parent) => !this.#changed.get(parent)?.has(path));
      if (unchanged) this.#follow(new Set([path]), unchanged);
      else this.#found.push([path, this.#commit]);
    }
    if (files && first) this.#follow(files, first);
    this.#changed = new Map();
    this.#commit = '';
  }

  #follow(files: Set<string>, commit: string): void {
    if (files.size === 0) return;
    const there = this.#followed.get(commit) ?? new Set();
    const [few, many] = there.size < files.size ? [there, files] : [files, there];
    for (const path of few) many.add(path);
    this.#followed.set(commit, many);
  }
}
