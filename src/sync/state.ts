/**
 * The last common state of two catalogues: their files when they were last the same, with the texts of records, so that
 * conflicts can be shown three-way. It is a file of lines. Each synchronised file is appended at once, so that the next
 * run continues an interrupted one. At the end of a run, a header is appended; or the file is rewritten, if more than half
 * of its lines are of no use any more.
 *
 * The file may be missing: what is the same on both sides counts as synchronised in any case.
 */
import { chmod, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { flushFolderToDisk } from '../disk/durable.ts';
import type { FileState } from './files.ts';
import { LineFile, type LinePosition } from './line-file.ts';
import { includeRights, joinRights, type Rights, rightsOfOlderState } from './rights.ts';
import { StateFiles } from './state-files.ts';

interface StoredFile extends FileState {
  readonly position: LinePosition;
}

/** Reasons why local records aren't sent that the remote had removed before the first run, by path. */
export type RemovedBefore = Readonly<Record<string, string>>;

/** A line of the file: the first one, one at the end of each run, and one before files are seen by further rights. */
export interface StateHeader {
  /** Tag of the remote's manifest, if it has exactly these files; else null. */
  readonly tag: string | null;
  /** Rights by which these files were seen on the remote. */
  readonly seenBy: Rights;
  /** Last point of the remote's timeline that was seen, unless that is unknown. */
  readonly timeline?: string;
  readonly removedBefore?: RemovedBefore;
}

type Line =
  // `lines`: number of the lines behind it that it counts for. Those behind them were appended by a run that was interrupted.
  | {
      readonly state: 1;
      readonly tag: string | null;
      readonly seenBy?: Rights;
      readonly signedIn?: boolean;
      readonly timeline?: string;
      readonly removedBefore?: RemovedBefore;
      readonly lines: number;
    }
  | { readonly path: string; readonly checksum: string; readonly size: number; readonly text?: string }
  // Removed with the files in its folder, or alone.
  | { readonly gone: string; readonly alone?: true }
  | { readonly move: string; readonly to: string };

export class SyncState {
  readonly #path: string;
  #lines: LineFile;
  #files = new StateFiles<StoredFile>();
  #header: StateHeader = { tag: null, seenBy: [] };
  #isChanged = false;
  /** Number of lines in the file. */
  #lineCount = 0;

  private constructor(path: string, lines: LineFile) {
    this.#path = path;
    this.#lines = lines;
  }

  /** Opens the state in a file, in an existing folder; a missing file is an empty state. */
  static async open(path: string): Promise<SyncState> {
    const state = new SyncState(path, await LineFile.open(path, 'a+'));
    await state.#load();
    return state;
  }

  get files(): ReadonlyMap<string, FileState> {
    return this.#files.byPath;
  }

  get header(): StateHeader {
    return this.#header;
  }

  /** The text of a record; null if it is unknown. */
  async text(path: string): Promise<string | null> {
    const file = this.#files.byPath.get(path);
    if (!file) return null;
    const line = parseLine(await this.#lines.read(file.position));
    return line && 'text' in line ? (line.text ?? null) : null;
  }

  /** Adds or changes a file. @param text of a record */
  async set(path: string, { checksum, size }: FileState, text?: string): Promise<void> {
    const position = await this.#add({ path, checksum, size, ...(text !== undefined && { text }) });
    this.#files.set(path, { checksum, size, position });
  }

  /** Adds or changes a record, which may have had another path before: one with another extension. */
  async replace(former: string, path: string, file: FileState, text: string | undefined): Promise<void> {
    await this.set(path, file, text);
    if (former !== path && this.files.has(former)) await this.forget(former);
  }

  /** Removes a file; the record of a dataset or a namespace with the files in its folder. */
  async remove(path: string): Promise<void> {
    await this.#add({ gone: path });
    this.#files.remove(path);
  }

  /** Removes one file alone. */
  async forget(path: string): Promise<void> {
    await this.#add({ gone: path, alone: true });
    this.#files.delete(path);
  }

  /** Moves a record, with the files in its folder. */
  async move(path: string, to: string): Promise<void> {
    await this.#add({ move: path, to });
    this.#files.move({ path, to });
  }

  /** Writes the changes to the file, so that they survive a crash of this process. */
  flush(): Promise<void> {
    return this.#lines.flush();
  }

  /**
   * Adds to the header what has to be known if the run is interrupted.
   * @param rights by which the user sees the files that the run is going to add
   */
  async begin(rights: Rights, removedBefore: RemovedBefore): Promise<void> {
    const { seenBy, removedBefore: known = {} } = this.#header;
    if (includeRights(seenBy, rights) && isDeepStrictEqual(known, removedBefore)) return;
    const joined = includeRights(seenBy, rights) ? seenBy : joinRights(seenBy, rights);
    const added = Object.keys(removedBefore).length > 0 ? { removedBefore } : {};
    this.#header = { ...this.#header, tag: null, seenBy: joined, ...added };
    await this.#add({ state: 1, ...this.#header, lines: 0 });
  }

  /** Ends a run: the file is on disk with this header, if anything has changed. */
  async finish(header: StateHeader): Promise<void> {
    if (!this.#isChanged && isDeepStrictEqual(this.#header, header)) return;
    if (this.#lineCount > 2 * this.files.size) await this.#rewrite(header);
    else {
      await this.#add({ state: 1, ...header, lines: 0 });
      await this.#lines.sync();
    }
    await flushFolderToDisk(dirname(this.#path));
    this.#header = header;
    this.#isChanged = false;
  }

  /** Rewrites the file, in one step, without the lines that are of no use any more. */
  async #rewrite(header: StateHeader): Promise<void> {
    const temporary = `${this.#path}.new`;
    await rm(temporary, { force: true });
    const lines = await LineFile.open(temporary, 'w+');
    const files = new StateFiles<StoredFile>();
    try {
      await lines.append(JSON.stringify({ state: 1, ...header, lines: this.files.size } satisfies Line));
      const paths = new Map(Array.from(this.#files.byPath, ([path, { position }]) => [position.at, path]));
      // In the order of the file, so that it is read once from end to end.
      for await (const { line, position } of this.#lines.readAll()) {
        const path = paths.get(position.at);
        const file = path !== undefined && this.#files.byPath.get(path);
        if (!file) continue;
        // The file of a line has another path now if it was moved.
        const isMoved = !line.startsWith(`{"path":${JSON.stringify(path)},`);
        const written = isMoved ? JSON.stringify({ ...JSON.parse(line), path }) : line;
        files.set(path, { ...file, position: await lines.append(written) });
      }
      await lines.sync();
      await rename(temporary, this.#path);
    } catch (error) {
      await lines.close();
      await rm(temporary, { force: true });
      throw error;
    }
    await this.#lines.close();
    this.#lines = lines;
    this.#files = files;
    this.#lineCount = files.byPath.size + 1;
  }

  close(): Promise<void> {
    return this.#lines.flush().finally(() => this.#lines.close());
  }

  async #load(): Promise<void> {
    // A copied file may have other permissions.
    await chmod(this.#path, 0o600);
    let linesLeft = 0;
    for await (const { line, position } of this.#lines.readAll()) {
      const entry = parseLine(line);
      this.#lineCount++;
      if (entry && 'state' in entry) {
        const { tag, seenBy = rightsOfOlderState(entry), timeline, removedBefore } = entry;
        this.#header = {
          tag,
          seenBy,
          ...(timeline !== undefined && { timeline }),
          ...(removedBefore !== undefined && { removedBefore }),
        };
        this.#isChanged = false;
        linesLeft = entry.lines;
        continue;
      }
      if (linesLeft-- <= 0) {
        this.#header = { ...this.#header, tag: null };
        this.#isChanged = true;
      }
      if (entry === null) continue;
      if ('gone' in entry && entry.alone) this.#files.delete(entry.gone);
      else if ('gone' in entry) this.#files.remove(entry.gone);
      else if ('move' in entry) this.#files.move({ path: entry.move, to: entry.to });
      else this.#files.set(entry.path, { checksum: entry.checksum, size: entry.size, position });
    }
  }

  async #add(line: Line): Promise<LinePosition> {
    this.#isChanged = true;
    this.#lineCount++;
    return this.#lines.append(JSON.stringify(line));
  }
}

function parseLine(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}
