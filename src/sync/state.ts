/**
 * The last common state of two catalogues: what both had when they were in step, record by record, with the texts, so
 * that a conflict can be shown three-way. It lies in a file of lines. What is brought into step is added to it at once,
 * so that a run that was broken off goes on where it stopped; at the end of a run the file is written anew.
 *
 * Nothing depends on it being there: what is the same on both sides is in step, whatever was written down.
 */
import { chmod, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileState } from './files.ts';
import { type LinePlace, Lines } from './lines.ts';
import { movedPath } from './moves.ts';
import { folderOf } from './paths.ts';

interface Remembered extends FileState {
  /** Where its line is. */
  readonly place: LinePlace;
}

/** What the first line says. */
export interface StateHeader {
  /** Of the other side's manifest that all of this was in; null where something of it is still to come. */
  readonly tag: string | null;
  /** Whether somebody was signed in at the other side. */
  readonly signedIn: boolean;
}

type Line =
  // How many lines were written with it: those behind them were added by a run that didn't come to its end.
  | { readonly state: 1; readonly tag: string | null; readonly signedIn: boolean; readonly lines: number }
  | { readonly path: string; readonly checksum: string; readonly size: number; readonly text?: string }
  // With what lies in its folder, or alone.
  | { readonly gone: string; readonly alone?: true }
  | { readonly move: string; readonly to: string };

export class State {
  readonly #path: string;
  #lines: Lines;
  #files = new Map<string, Remembered>();
  #header: StateHeader = { tag: null, signedIn: false };
  #isTouched = false;

  private constructor(path: string, lines: Lines) {
    this.#path = path;
    this.#lines = lines;
  }

  /** Opens the state in a file, whose folder has to be there; an empty one where there is none. */
  static async open(path: string): Promise<State> {
    const state = new State(path, await Lines.open(path, 'a+'));
    await state.#load();
    return state;
  }

  get files(): ReadonlyMap<string, FileState> {
    return this.#files;
  }

  get header(): StateHeader {
    return this.#header;
  }

  /** The text that a record had; null where none is known. */
  async text(path: string): Promise<string | null> {
    const file = this.#files.get(path);
    if (!file) return null;
    const line = parsed(await this.#lines.read(file.place));
    return line && 'text' in line ? (line.text ?? null) : null;
  }

  /** Both have the same now. */
  async note(path: string, { checksum, size }: FileState, text?: string): Promise<void> {
    const place = await this.#add({ path, checksum, size, ...(text !== undefined && { text }) });
    this.#files.set(path, { checksum, size, place });
  }

  /** Neither has it any more; with the record of a dataset or namespace goes what lies in its folder. */
  async drop(path: string): Promise<void> {
    await this.#add({ gone: path });
    this.#forget(path);
  }

  /** Forgets that both had it. */
  async forget(path: string): Promise<void> {
    await this.#add({ gone: path, alone: true });
    this.#files.delete(path);
  }

  /** Both have it elsewhere now, with what lies in its folder. */
  async move(path: string, to: string): Promise<void> {
    await this.#add({ move: path, to });
    this.#rename(path, to);
  }

  /** What was noted outlives this process. */
  flush(): Promise<void> {
    return this.#lines.flush();
  }

  /** Writes the file anew, in one step, if there is anything new. */
  async finish(header: StateHeader): Promise<void> {
    const { tag, signedIn } = this.#header;
    if (!this.#isTouched && tag === header.tag && signedIn === header.signedIn) return;
    const aside = `${this.#path}.new`;
    await rm(aside, { force: true });
    const lines = await Lines.open(aside, 'w+');
    const files = new Map<string, Remembered>();
    try {
      await lines.add(JSON.stringify({ state: 1, ...header, lines: this.#files.size } satisfies Line));
      const paths = new Map([...this.#files].map(([path, { place }]) => [place.at, path]));
      // In the order of the file, so that it is read once from end to end.
      for await (const { line, place } of this.#lines.all()) {
        const path = paths.get(place.at);
        const file = path !== undefined && this.#files.get(path);
        if (!file) continue;
        files.set(path, { ...file, place: await lines.add(JSON.stringify({ ...JSON.parse(line), path })) });
      }
      await lines.sync();
      await rename(aside, this.#path);
    } catch (error) {
      await lines.close();
      await rm(aside, { force: true });
      throw error;
    }
    await this.#lines.close();
    this.#lines = lines;
    this.#files = files;
    this.#header = header;
    this.#isTouched = false;
    await syncFolder(dirname(this.#path));
  }

  close(): Promise<void> {
    return this.#lines.flush().finally(() => this.#lines.close());
  }

  async #load(): Promise<void> {
    // A copy from elsewhere may have come with other permissions.
    await chmod(this.#path, 0o600);
    let left = 0;
    for await (const { line, place } of this.#lines.all()) {
      const entry = parsed(line);
      if (entry && 'state' in entry) {
        this.#header = { tag: entry.tag, signedIn: entry.signedIn };
        left = entry.lines;
        continue;
      }
      if (left-- <= 0) {
        this.#header = { ...this.#header, tag: null };
        this.#isTouched = true;
      }
      if (entry === null) continue;
      if ('gone' in entry && entry.alone) this.#files.delete(entry.gone);
      else if ('gone' in entry) this.#forget(entry.gone);
      else if ('move' in entry) this.#rename(entry.move, entry.to);
      else this.#files.set(entry.path, { checksum: entry.checksum, size: entry.size, place });
    }
  }

  async #add(line: Line): Promise<LinePlace> {
    this.#isTouched = true;
    return this.#lines.add(JSON.stringify(line));
  }

  #forget(path: string): void {
    const folder = folderOf(path);
    this.#files.delete(path);
    if (folder !== null)
      for (const other of this.#files.keys()) if (other.startsWith(folder)) this.#files.delete(other);
  }

  #rename(path: string, to: string): void {
    const files = [...this.#files];
    this.#files = new Map(files.map(([other, file]) => [movedPath(other, { path, to }), file]));
  }
}

function parsed(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().catch(() => {});
  await handle.close();
}
