/** `catalogue check`: what is wrong in a folder, and the mending of what can be mended without asking. */
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
  const mendable = options.fix ? found.doubts.filter(({ mend }) => mend) : [];
  if (mendable.length === 0)
    return { problems: found.doubts.map((doubt) => found.problem(doubt)), fixed: [], files: found.files };
  const fixed = mendable.map((doubt) => found.problem(doubt));
  for (const { path, mend } of mendable) {
    const { kind } = recordAt(path);
    const order = Object.keys(schemas[kind as RecordKind].properties);
    await editRecord(root, path, mend as NonNullable<Doubt['mend']>, order);
  }
  const left = await examine(root, { ...options, fix: false });
  return { problems: left.doubts.map((doubt) => left.problem(doubt)), fixed, files: left.files };
}

interface Found {
  readonly doubts: readonly Doubt[];
  readonly files: number;
  problem(doubt: Doubt): CheckProblem;
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
  ].sort((a, b) => (a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1));
  return {
    doubts,
    files: texts.size,
    problem: ({ path, pointer = '', message, severity = 'error', mend, line, column }) => {
      const text = line ? undefined : texts.get(path)?.text;
      const place =
        text === undefined ? { line: line ?? 1, column: column ?? 1 } : locate(text, formatOf(path), pointer);
      return { path, pointer, message, severity, fixable: Boolean(mend), ...place };
    },
  };
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
