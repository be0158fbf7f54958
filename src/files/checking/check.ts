/** `catalogue check`: what is wrong in a folder, and the mending of what can be mended without asking. */

import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import { payloadPath, recordAt, recordPaths } from '../../catalogue/layout.ts';
import { refOf, type VersionRef } from '../../catalogue/ref.ts';
import type { RecordKind } from '../../catalogue/schemas.ts';
import { schemas } from '../../catalogue/schemas.ts';
import type { Diagnostic, Version } from '../../catalogue/types.ts';
import { locate } from '../../text/parse.ts';
import { openFolder } from '../file-catalogue.ts';
import { editRecord } from '../writing/pen.ts';
import { checkAccounts } from './accounts.ts';
import { type Part, partOf } from './changed.ts';
import { doubtsIn, factsOf, formatOf, recordsOf } from './facts.ts';
import { mismatches } from './payloads.ts';
import type { Doubt, Facts } from './rules.ts';

export interface CheckProblem extends Diagnostic {
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
  /** Look only at what changed in git, and at what that concerns. */
  readonly changed?: Part | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CheckResult {
  /** What is wrong (after mending, with `fix`), by path and line. */
  readonly problems: readonly CheckProblem[];
  readonly fixed: readonly CheckProblem[];
  /** How many record files were looked at. */
  readonly files: number;
  /** Where only what changed was looked at: since when. */
  readonly since?: string;
}

/**
 * Validates every file of a catalogue folder: text, schema, identifiers, links, payloads.
 * @throws UnusableCatalogueError where the folder is no catalogue at all; with `changed`, NotFoundError where git knows
 *   no such commit or nothing of the folder, and UnavailableError where it fails
 */
export async function checkFolder(root: string, options: CheckOptions = {}): Promise<CheckResult> {
  const found = await examine(root, options);
  const fixed: CheckProblem[] = [];
  if (options.fix) for (const one of found.all) if (await mended(root, one.doubt)) fixed.push(one.problem);
  const { all, files, since } = fixed.length ? await examine(root, options) : found;
  return { problems: all.map(({ problem }) => problem), fixed, files, ...(since !== undefined && { since }) };
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
  readonly since?: string | undefined;
}

async function examine(root: string, options: CheckOptions): Promise<Found> {
  const { facts, doubts, files, since } = options.changed
    ? await lookAtPart(root, options.changed, options)
    : await lookAtAll(root, options);
  const problemOf = ({ path, pointer = '', message, severity = 'error', mend, line, column }: Doubt): CheckProblem => {
    const text = line ? undefined : facts.texts.get(path)?.text;
    const place = text === undefined ? { line: line ?? 1, column: column ?? 1 } : locate(text, formatOf(path), pointer);
    return { path, pointer, message, severity, fixable: Boolean(mend), ...place };
  };
  const all = doubts.map((doubt) => ({ doubt, problem: problemOf(doubt) }));
  all.sort(({ problem: a }, { problem: b }) =>
    a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1,
  );
  return { all, files, since };
}

interface Looked {
  readonly facts: Facts;
  readonly doubts: readonly Doubt[];
  readonly files: number;
  readonly since?: string;
}

async function lookAtAll(root: string, options: CheckOptions): Promise<Looked> {
  const { store, snapshot } = await opened(root);
  const states = [...store.states.values()];
  const facts = factsOf(store.tree, snapshot, states);
  const deep = options.deep ? await mismatches(root, facts, options, () => true) : [];
  const doubts = [...doubtsIn(facts), ...(await checkAccounts(root)), ...deep];
  return { facts, doubts, files: [...recordsOf(states)].length };
}

async function opened(root: string) {
  const catalogue = await openFolder(root, { readOnly: true });
  await catalogue.load({ lenient: true });
  return catalogue;
}

/** What is wrong in the files that changed; and in others what wasn't wrong before. */
async function lookAtPart(root: string, which: Part, options: CheckOptions): Promise<Looked> {
  await openFolder(root, { readOnly: true });
  const { facts, before, touched, since } = await partOf(root, which);
  const said = ({ path, message }: Doubt) => `${path}\0${message}`;
  const known = new Set(doubtsIn(before).map(said));
  const matters = (version: Version) =>
    touched.has(payloadPath(version.namespace, version.dataset, version.file)) ||
    recordPaths(refOf(version) as VersionRef).some((path) => touched.has(path));
  const deep = options.deep ? await mismatches(root, facts, options, matters) : [];
  const doubts = [...doubtsIn(facts).filter((doubt) => touched.has(doubt.path) || !known.has(said(doubt))), ...deep];
  return { facts, doubts, files: [...touched].filter((path) => facts.texts.has(path)).length, since };
}
