/** Records of a file tree, for the rules. */

import { parseRecordFileName, recordFormat } from '../../catalogue/layout.ts';
import { entityRecordPath, type RecordEntity, type RecordSet, type RecordValue } from '../../catalogue/record-set.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { type Parsed, parseRecordText } from '../../text/parse.ts';
import type { UnitsRead } from '../reading/read-unit.ts';
import type { ScanResult } from '../reading/scan.ts';
import type { UnitState } from '../reading/unit-state.ts';
import { existsInTree, type FileTree, namesOrNone, readOrNull, type Stamp, type TreeEntry } from '../tree/file-tree.ts';
import { unpackStamps } from '../tree/stamps.ts';

type ParsedFile = { readonly text: string; readonly stamp: Stamp; readonly parsed: Parsed };

/** A tree whose records are read and parsed once: when a unit is read, and for the rules. */
export class ParsedTree implements FileTree {
  readonly #tree: FileTree;
  readonly #files = new Map<string, ParsedFile | null>();
  /** Paths at which nothing was found. */
  readonly #absent = new Set<string>();

  constructor(tree: FileTree) {
    this.#tree = tree;
  }

  read(path: string): ParsedFile | null {
    let file = this.#files.get(path);
    if (file === undefined) {
      const read = this.#tree.read(path);
      if (read) {
        const { text, stamp, parsed = parseRecordText(text, recordFormat(path)) } = read;
        file = { text, stamp, parsed };
      } else file = null;
      this.#files.set(path, file);
    }
    return file;
  }

  stamp(path: string): Stamp | null {
    if (this.#absent.has(path)) return null;
    const stamp = this.#tree.stamp(path);
    if (!stamp) this.#absent.add(path);
    return stamp;
  }

  names(path: string, hasStamp?: boolean): readonly TreeEntry[] {
    return this.#absent.has(path) ? [] : this.#tree.names(path, hasStamp);
  }

  isFolder(parent: string, entry: TreeEntry): boolean {
    return this.#tree.isFolder(parent, entry);
  }

  isLfsPointer(path: string): boolean {
    return this.#tree.isLfsPointer(path);
  }

  /** The records that were read and are valid YAML or JSON, by path. */
  values(): ReadonlyMap<string, RecordValue> {
    const values = new Map<string, RecordValue>();
    for (const [path, file] of this.#files)
      if (file && 'value' in file.parsed) values.set(path, file.parsed.value as RecordValue);
    return values;
  }
}

interface Known {
  readonly faultless?: Iterable<UnitState> | undefined;
}

interface ParsedRecord {
  readonly text: string;
  readonly value: RecordValue;
}

/** Each record is read and parsed when it is first requested. */
export class TreeRecords implements RecordSet {
  readonly tree: FileTree;
  readonly snapshot: Snapshot;
  compareHolders: RecordSet['compareHolders'];
  readonly pathsOfEntities = new WeakMap<RecordEntity, string>();
  readonly #states: readonly UnitState[];
  readonly #faultless: ReadonlySet<UnitState>;
  readonly #faultlessEntities = new Set<unknown>();
  readonly #parsed = new Map<string, ParsedRecord | null>();

  /**
   * @param states of the units that were read from the tree
   * @param options.faultless the states whose records have no faults
   */
  constructor(tree: FileTree, snapshot: Snapshot, states: Iterable<UnitState>, { faultless }: Known = {}) {
    this.tree = tree;
    this.snapshot = snapshot;
    this.#states = [...states];
    this.#faultless = new Set(faultless);
    for (const state of this.#faultless) for (const entity of entitiesOf(state)) this.#faultlessEntities.add(entity);
  }

  /** Number of record files that were read, including those that do not parse. */
  get fileCount(): number {
    let count = 0;
    // A faultless unit has one file for each record.
    for (const state of this.#states)
      count += this.#faultless.has(state) ? entitiesOf(state).length : recordFilesOf(state).length;
    return count;
  }

  isFaultless(entity: RecordEntity): boolean {
    return this.#faultlessEntities.has(entity);
  }

  *paths(): Generator<string> {
    for (const state of this.#states)
      if (this.#faultless.has(state)) for (const entity of entitiesOf(state)) yield entityRecordPath(this, entity);
      else for (const path of recordFilesOf(state)) if (this.#parse(path)) yield path;
  }

  *uncheckedPaths(): Generator<string> {
    for (const state of this.#states)
      if (!this.#faultless.has(state)) for (const path of recordFilesOf(state)) if (this.#parse(path)) yield path;
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
    // A folder that can't be read is reported when the unit is read whose files are in it.
    return namesOrNone(this.tree, folder);
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
    // A file that can't be read is reported when its unit is read.
    const read = readOrNull(this.tree, path);
    if (!read) return null;
    const { text, parsed = parseRecordText(text, recordFormat(path)) } = read;
    return 'value' in parsed ? { text, value: parsed.value as RecordValue } : null;
  }
}

/** The entities of a unit that have a record file. */
export function entitiesOf({ reading: { entity } }: UnitState): readonly RecordEntity[] {
  if (entity === null || !('kind' in entity)) return [];
  return entity.kind === 'dataset' ? [entity, ...entity.versions] : [entity];
}

const recordFilesOf = ({ stamps }: UnitState): readonly string[] =>
  Array.from(unpackStamps(stamps)).flatMap(([path, stamp]) => (stamp && parseRecordFileName(path) ? [path] : []));

/** Records of the units that were read from a tree, with diagnostics of the files that are not part of the layout. */
export function treeRecordsOf(
  tree: FileTree,
  { snapshot, states }: UnitsRead,
  scanned: Iterable<ScanResult>,
  known?: Known,
): TreeRecords {
  const diagnostics = new Map(snapshot.diagnostics);
  for (const found of scanned)
    if ('stray' in found)
      diagnostics.set(found.stray.path, [...(diagnostics.get(found.stray.path) ?? []), found.stray]);
  return new TreeRecords(tree, { ...snapshot, diagnostics }, states, known);
}
