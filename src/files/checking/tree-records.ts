/** Records of a file tree, for the rules. */

import { parseRecordFileName, recordFormat } from '../../catalogue/layout.ts';
import type { RecordSet, RecordValue } from '../../catalogue/record-set.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { parseRecordText } from '../../text/parse.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import { existsInTree, type FileTree, UnreadableFileError } from '../tree/file-tree.ts';
import { unpackStamps } from '../tree/stamps.ts';

interface ParsedRecord {
  readonly text: string;
  readonly value: RecordValue;
}

/** Each record is read and parsed when it is first requested. */
export class TreeRecords implements RecordSet {
  readonly tree: FileTree;
  readonly snapshot: Snapshot;
  readonly changed?: ReadonlySet<string> | undefined;
  readonly #states: readonly UnitState[];
  readonly #parsed = new Map<string, ParsedRecord | null>();

  /**
   * @param states of the units that were read from the tree
   * @param changed paths of files that differ from the commit that they are compared with
   */
  constructor(tree: FileTree, snapshot: Snapshot, states: Iterable<UnitState>, changed?: ReadonlySet<string>) {
    this.tree = tree;
    this.snapshot = snapshot;
    this.#states = [...states];
    this.changed = changed;
  }

  /** Paths of all record files that were read, including those that do not parse. */
  *files(): Generator<string> {
    for (const { stamps } of this.#states)
      for (const [path, stamp] of unpackStamps(stamps)) if (stamp && parseRecordFileName(path)) yield path;
  }

  *paths(): Generator<string> {
    for (const path of this.files()) if (this.#parse(path)) yield path;
  }

  record(path: string): RecordValue | undefined {
    return this.#parse(path)?.value;
  }

  /** Text of a record; undefined if there is none or it does not parse. */
  text(path: string): string | undefined {
    return this.#parse(path)?.text;
  }

  has(path: string): boolean {
    return existsInTree(this.tree, path);
  }

  names(folder: string): readonly string[] {
    return this.tree.names(folder).map(({ name }) => name);
  }

  #parse(path: string): ParsedRecord | null {
    let parsed = this.#parsed.get(path);
    if (parsed === undefined) {
      parsed = this.#read(path);
      this.#parsed.set(path, parsed);
    }
    return parsed;
  }

  #read(path: string): ParsedRecord | null {
    try {
      const text = this.tree.read(path)?.text;
      const parsed = text === undefined ? null : parseRecordText(text, recordFormat(path));
      return text !== undefined && parsed && 'value' in parsed ? { text, value: parsed.value as RecordValue } : null;
    } catch (error) {
      // It is reported when the unit is read.
      if (error instanceof UnreadableFileError) return null;
      throw error;
    }
  }
}
