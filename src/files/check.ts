/** `catalogue check`: what is wrong in a folder, and the mending of what can be mended without asking. */

import { ConflictError, NotFoundError } from '../catalogue/errors.ts';
import type { RecordKind } from '../catalogue/schemas.ts';
import { schemas } from '../catalogue/schemas.ts';
import type { Problem } from '../catalogue/types.ts';
import { misspelledKeys } from '../catalogue/validators.ts';
import { checkPayloads } from './check-payloads.ts';
import { type Doubt, type Facts, rules } from './check-rules.ts';
import type { FileCatalogue } from './file-catalogue.ts';
import { openFolder } from './file-catalogue.ts';
import { recordAt, recordName } from './layout.ts';
import { Unreadable } from './look.ts';
import { locate, parseRecord } from './parse.ts';
import { editRecord } from './pen.ts';

export interface CheckProblem extends Problem {
  /** An error makes something wrong or unserved; a warning is worth a look. */
  readonly severity: 'error' | 'warning';
  /** Whether `fix` mends it. */
  readonly fixable: boolean;
}

export interface CheckOptions {
  /** Mend what can be mended: missing and clashing ids, links to what was renamed. */
  readonly fix?: boolean;
  /** Hash every payload and compare it with its checksum. */
  readonly deep?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CheckResult {
  /** What is wrong (after mending, with `fix`), by path and line. */
  readonly problems: readonly CheckProblem[];
  readonly fixed: readonly CheckProblem[];
  /** How many record files were looked at. */
  readonly files: number;
}

/**
 * Validates every file of a catalogue folder: text, schema, identifiers, links, payloads.
 * @throws UnusableCatalogueError where the folder is no catalogue at all
 */
export async function checkFolder(root: string, options: CheckOptions = {}): Promise<CheckResult> {
  const found = await examine(root, options);
  const fixed: CheckProblem[] = [];
  if (options.fix) for (const one of found.all) if (await mended(root, one.doubt)) fixed.push(one.problem);
  const { all, files } = fixed.length ? await examine(root, options) : found;
  return { problems: all.map(({ problem }) => problem), fixed, files };
}

/** Mends what can be mended. A file that only a hand can edit stays as it is, and its problem with it. */
async function mended(root: string, { path, mend }: Doubt): Promise<boolean> {
  if (!mend) return false;
  const order = Object.keys(schemas[recordAt(path).kind as RecordKind].properties);
  try {
    await editRecord(root, path, mend, order);
    return true;
  } catch (error) {
    if (error instanceof ConflictError || error instanceof NotFoundError) return false;
    throw error;
  }
}

interface Found {
  /** By path and line. */
  readonly all: readonly { readonly doubt: Doubt; readonly problem: CheckProblem }[];
  readonly files: number;
}

async function examine(root: string, options: CheckOptions): Promise<Found> {
  const catalogue = await openFolder(root, { readOnly: true });
  await catalogue.load({ lenient: true });
  const texts = readTexts(catalogue);
  const facts: Facts = { snapshot: catalogue.snapshot, folder: catalogue.store.folder, texts };
  const doubts = [
    ...[...catalogue.snapshot.problems.values()].flat().map(broken),
    ...misspellings(facts),
    ...rules.flatMap((rule) => [...rule(facts)]),
    ...(await checkPayloads(facts, options)),
  ];
  const problemOf = ({ path, pointer = '', message, severity = 'error', mend, line, column }: Doubt): CheckProblem => {
    const text = line ? undefined : texts.get(path)?.text;
    const place = text === undefined ? { line: line ?? 1, column: column ?? 1 } : locate(text, formatOf(path), pointer);
    return { path, pointer, message, severity, fixable: Boolean(mend), ...place };
  };
  const all = doubts.map((doubt) => ({ doubt, problem: problemOf(doubt) }));
  all.sort(({ problem: a }, { problem: b }) =>
    a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1,
  );
  return { all, files: recordsIn(catalogue) };
}

function recordsIn({ store }: FileCatalogue): number {
  let count = 0;
  for (const { stamps } of store.states.values())
    for (const [path, stamp] of stamps) if (stamp && recordName(path)) count++;
  return count;
}

const broken = (problem: Problem): Doubt => problem;
const formatOf = (path: string) => recordName(path)?.format ?? 'yaml';

/** The text and value of every record that can be parsed, by path. */
function readTexts({ store }: FileCatalogue): Facts['texts'] {
  const texts = new Map<string, { text: string; value: Readonly<Record<string, unknown>> }>();
  for (const { stamps } of store.states.values())
    for (const [path, stamp] of stamps) {
      if (!stamp || !recordName(path)) continue;
      try {
        const text = store.folder.read(path)?.text;
        const parsed = text === undefined ? null : parseRecord(text, formatOf(path));
        if (text !== undefined && parsed && 'value' in parsed)
          texts.set(path, { text, value: parsed.value as Record<string, unknown> });
      } catch (error) {
        // A problem that reading has found already.
        if (!(error instanceof Unreadable)) throw error;
      }
    }
  return texts;
}

function* misspellings({ texts }: Facts): Generator<Doubt> {
  for (const [path, { value }] of texts) {
    const { kind } = recordAt(path);
    if (kind === 'payload' || kind === 'unknown') continue;
    for (const misfit of misspelledKeys(kind, value)) yield { path, ...misfit, severity: 'warning' };
  }
}
