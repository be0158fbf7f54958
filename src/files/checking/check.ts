/** `catalogue check`: problems of a catalogue folder, and fixes for those that have only one solution. */

import { LRUCache } from 'lru-cache';
import { type Diagnostic, excerptAt } from '../../catalogue/diagnostic.ts';
import { ConflictError, NotFoundError, UnusableCatalogueError } from '../../catalogue/errors.ts';
import { mediaFolder, payloadPath, privateFolder, recordPaths, type Unit } from '../../catalogue/layout.ts';
import { makeDiagnostic, type RecordDiagnostic } from '../../catalogue/record-set.ts';
import { refOf, type VersionRef } from '../../catalogue/ref.ts';
import { findRuleViolations, findSharedIds } from '../../catalogue/rules.ts';
import type { Version } from '../../catalogue/types.ts';
import { lineStartsOf } from '../../text/parse-error.ts';
import { AccountsAdapter, accountsPath, areAccountsOfAnotherUser } from '../accounts/accounts-file.ts';
import type { Access } from '../catalogue-files.ts';
import { openFileCatalogue } from '../file-catalogue.ts';
import { diagnosticInCopy, hasOrigin } from '../missing-references.ts';
import { readUnits } from '../reading/read-unit.ts';
import { type ScanResult, scanForUnits } from '../reading/scan.ts';
import { makeRecordPositionFinder } from '../records/record-positions.ts';
import { ensureEditorSchemas } from '../scaffold.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import type { GitChanges } from './changed-records.ts';
import { explainFormerFolder } from './former-folders.ts';
import type { FindCommonTexts } from './id-holders.ts';
import { readFaultlessUnits, type startCheckReaders } from './read-in-threads.ts';
import { ParsedTree, type TreeRecords, treeRecordsOf } from './tree-records.ts';

export interface CheckDiagnostic extends Diagnostic {
  /** True if `fix` fixes it. */
  readonly fixable: boolean;
}

export interface CheckOptions {
  /** Fix what can be fixed: missing and clashing ids and aliases, references to what was renamed. Writes base64 metadata as YAML. */
  readonly fix?: boolean;
  /** Read every payload: compare it with its checksum, and its columns with those of its dataset. */
  readonly deep?: boolean;
  /** Check only the files that changed in git, and the records that they concern. */
  readonly changed?: GitChanges | undefined;
  readonly onProgress?: (done: number, total: number) => void;
  /** Finds the texts that records had when a remote had the same: a record keeps its id if a copy has it, too. */
  readonly findCommonTexts?: FindCommonTexts;
  /** Starts the threads that read a large catalogue. */
  readonly startReaders?: typeof startCheckReaders;
}

export interface CheckResult {
  /** Diagnostics by path and line; with `fix`, those that are left. */
  readonly problems: readonly CheckDiagnostic[];
  readonly fixed: readonly CheckDiagnostic[];
  /** Number of record files that were checked. */
  readonly files: number;
  /** With `changed`: the commit that the files are compared with. */
  readonly since?: string;
}

/**
 * Checks every file of a catalogue folder: text, schema, identifiers, references, payloads.
 * @throws UnusableCatalogueError if the folder is not a catalogue; with `changed`, NotFoundError if there is no such commit
 *   or repository, and UnavailableError if git fails
 */
export async function checkCatalogueFiles(root: string, options: CheckOptions = {}): Promise<CheckResult> {
  const found = await findDiagnostics(root, options);
  await ensureEditorSchemas(root);
  const fixed: CheckDiagnostic[] = [];
  if (options.fix) {
    const catalogue = await openFileCatalogue(root);
    await catalogue.load({ lenient: true });
    for (const one of found.all) if (await fix(catalogue.access(), one.found)) fixed.push(one.diagnostic);
  }
  const { all, files, since } = fixed.length ? await findDiagnostics(root, options) : found;
  const problems = all.map(({ diagnostic }) => diagnostic);
  return { problems, fixed, files, ...(since !== undefined && { since }) };
}

/**
 * Errors that a commit would bring: those in the files that it changes, and new ones in others. It needn't be checked out.
 * @param from the commit to compare it with
 * @throws NotFoundError if there is no such commit; UnavailableError if git fails
 */
export async function findErrorsOfCommit(root: string, from: string, to: string): Promise<readonly Diagnostic[]> {
  const { all } = await findDiagnostics(root, { changed: { from, to } });
  return all.flatMap(({ diagnostic }) => (diagnostic.severity === 'error' ? [diagnostic] : []));
}

/** Fixes one problem. A file that only a person can edit stays as it is. */
async function fix(access: Access, { path, fix: set }: Found): Promise<boolean> {
  if (!set) return false;
  const { commitSingleStep } = await import('../transaction.ts');
  try {
    await commitSingleStep(access, { changes: [{ do: 'edit', path, set }] }, { message: () => `Fix ${path}` });
    return true;
  } catch (error) {
    if (error instanceof ConflictError || error instanceof NotFoundError) return false;
    throw error;
  }
}

/** A diagnostic with its line, or one whose line follows from its pointer. */
type Found = RecordDiagnostic & Partial<Pick<Diagnostic, 'line' | 'column' | 'excerpt'>>;

interface CheckedRecords {
  readonly records: TreeRecords;
  readonly found: readonly Found[];
  readonly files: number;
  /** Paths of the records that were checked. */
  readonly paths: Iterable<string>;
  readonly since?: string;
}

/** All problems, each with its line and its fix, sorted by path and line. */
async function findDiagnostics(root: string, options: CheckOptions) {
  const { records, found, files, since, paths } = options.changed
    ? await checkChanged(root, options.changed, options)
    : await checkAll(root, options);
  const findPosition = makeRecordPositionFinder((path) => records.text(path));
  const lineStarts = new LRUCache<string, readonly number[]>({ max: 8 });
  const findExcerpt = (path: string, line: number, column: number) => {
    const text = records.text(path);
    if (text === undefined) return undefined;
    const starts = lineStarts.get(path) ?? lineStartsOf(text);
    lineStarts.set(path, starts);
    return excerptAt(text, line, column, starts[line - 1]);
  };
  const withPosition = ({ fix, other: _, messageInCopy: __, ...one }: Found): CheckDiagnostic => {
    const part = one.code === 'unknown-key' ? 'key' : 'value';
    const position = one.line ? undefined : findPosition(one.path, one.pointer, part);
    const { line = 1, column = 1 } = position ?? one;
    const excerpt = one.excerpt ?? (position && findExcerpt(one.path, line, column));
    return { ...one, line, column, fixable: Boolean(fix), ...(excerpt && { excerpt }) };
  };
  const rewritable = options.fix ? await findRewritableMetadata(paths, records) : [];
  // Record by record, so that each is parsed once.
  const byPath = [...found, ...rewritable].sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
  const all = byPath.map((one) => ({ found: one, diagnostic: withPosition(one) }));
  all.sort(({ diagnostic: a }, { diagnostic: b }) =>
    a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1,
  );
  return { all, files, since };
}

async function findRewritableMetadata(paths: Iterable<string>, records: TreeRecords) {
  const { findMetadataToRewrite } = await import('../records/metadata.ts');
  return [...findMetadataToRewrite(paths, (path) => records.record(path))];
}

/** Problems of payloads. Most checks need neither their readers nor git: loading these takes as long as reading a thousand datasets. */
async function findDeepProblems(
  root: string,
  records: TreeRecords,
  options: CheckOptions,
  isConcerned: (version: Version) => boolean,
): Promise<readonly Found[]> {
  if (!options.deep) return [];
  const { findPayloadProblems } = await import('./payloads.ts');
  const catalogue = await openFileCatalogue(root);
  try {
    return await findPayloadProblems(catalogue, records, options, isConcerned);
  } finally {
    await catalogue.close();
  }
}

async function checkAll(root: string, options: CheckOptions): Promise<CheckedRecords> {
  const disk = (await openFileCatalogue(root, { readOnly: true })).store.tree;
  const scanned: ScanResult[] = [];
  const units = unitsAmong(scanForUnits(disk), scanned);
  const faultless = await readFaultlessUnits(disk, units, options.startReaders);
  const tree = new ParsedTree(disk);
  const records = treeRecordsOf(tree, readUnits(tree, unitsAmong(scanned), faultless), scanned, {
    faultless: faultless.values(),
  });
  const sharedIds = findSharedIds(records);
  if (sharedIds.size) {
    const { findOrderOfHolders } = await import('./id-holders.ts');
    records.compareHolders = await findOrderOfHolders(root, sharedIds, options.findCommonTexts);
  }
  const deep = await findDeepProblems(root, records, options, () => true);
  const links = findMediaLinkProblems(disk);
  const ofRecords = recordDiagnostics(root, records).map((one) => unfixableIfLinked(disk, one));
  const found = [...ofRecords, ...(await checkAccountsFile(root)), ...deep, ...links];
  return { records, found, files: records.fileCount, paths: records.paths() };
}

/** Two records that are one file have one id: a new one would be that of both, again. */
function unfixableIfLinked(disk: DiskTree, found: Found): Found {
  const { fix: _, other, ...rest } = found;
  if (found.code !== 'id' || !other) return found;
  const file = disk.linkTarget(found.path);
  if (!recordPaths(other).some((path) => disk.linkTarget(path) === file)) return found;
  return { ...rest, message: `${found.message} A link makes both one file: replace it by a copy with another id.` };
}

/** The units that a scan finds. @param all gets everything that it finds */
function* unitsAmong(scan: Iterable<ScanResult>, all: ScanResult[] = []): Generator<Unit> {
  for (const found of scan) {
    all.push(found);
    if ('unit' in found) yield found.unit;
  }
}

/** Problems of the files that changed, and new problems of other files. */
async function checkChanged(root: string, part: GitChanges, options: CheckOptions): Promise<CheckedRecords> {
  await openFileCatalogue(root, { readOnly: true });
  const { findRecordsChangedInGit } = await import('./changed-records.ts');
  const { records, before, changed, since, hasAccounts } = await findRecordsChangedInGit(root, part);
  const { compareByEarlierState } = await import('./id-holders.ts');
  records.compareHolders = compareByEarlierState(records, before);
  const key = ({ path, message }: Found) => `${path}\0${message}`;
  const known = new Set(recordDiagnostics(root, before).map(key));
  const isConcerned = (version: Version) =>
    changed.has(payloadPath(version.namespace, version.dataset, version.file)) ||
    recordPaths(refOf(version) as VersionRef).some((path) => changed.has(path));
  const deep = await findDeepProblems(root, records, options, isConcerned);
  const found = recordDiagnostics(root, records).filter((one) => changed.has(one.path) || !known.has(key(one)));
  const files = [...changed].filter((path) => records.text(path) !== undefined).length;
  const accounts = hasAccounts ? [accountsInGit(changed.has(accountsPath) ? 'error' : 'warning')] : [];
  return { records, found: [...found, ...deep, ...accounts], files, since, paths: changed };
}

/** The problem of an accounts file that git has, or would take. */
const accountsInGit = (severity: 'error' | 'warning'): Found =>
  makeDiagnostic(accountsPath, {
    code: 'accounts',
    message:
      `It has hashes of passwords and tokens, which must not be in git. Add "${privateFolder}/" to .gitignore, ` +
      `and take it out: git rm -r --cached ${privateFolder}`,
    severity,
  });

/** Links in site_media/ that are not followed, and folders that can't be read. */
function* findMediaLinkProblems(tree: DiskTree, folder: string = mediaFolder): Generator<Found> {
  const problem = (path: string, message: string) =>
    makeDiagnostic(path, { code: 'image', message, severity: 'warning' });
  try {
    for (const entry of tree.names(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith('.')) yield* findMediaLinkProblems(tree, path);
      if (entry.isSymbolicLink() && tree.leadsOutside(path))
        yield problem(path, 'It is a link that leaves site_media/, and is not served: replace it by a copy.');
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield problem(folder, error.message);
  }
}

/** Problems of the accounts file. Its contents are never quoted. */
async function checkAccountsFile(root: string): Promise<readonly Found[]> {
  if (await areAccountsOfAnotherUser(root)) {
    const message = 'It is not checked: only the user of the folder may read it.';
    return [makeDiagnostic(accountsPath, { code: 'accounts', message, severity: 'warning' })];
  }
  try {
    await new AccountsAdapter(root).read();
    return [];
  } catch (error) {
    if (!(error instanceof UnusableCatalogueError)) throw error;
    const [, line = '1', column = '1'] = /at line (\d+), column (\d+)/.exec(error.message) ?? [];
    const found = makeDiagnostic(accountsPath, { code: 'accounts', message: error.message });
    return [{ ...found, line: Number(line), column: Number(column) }];
  }
}

/** Problems that are found without reading payloads. */
function recordDiagnostics(root: string, records: TreeRecords): readonly Found[] {
  const { diagnostics } = records.snapshot;
  // A key by which a record was to be hidden is an error of the record, and not a warning besides.
  const isKnown = ({ path, pointer, message }: Found) =>
    diagnostics.get(path)?.some((one) => one.pointer === pointer && one.message === message) ?? false;
  const violations = findRuleViolations(records).filter((one) => !isKnown(one));
  const ofFiles = [...diagnostics.values()].flat().map((one) => explainFormerFolder(root, records.snapshot, one));
  return [...ofFiles, ...(hasOrigin(root) ? violations.map(diagnosticInCopy) : violations)];
}
