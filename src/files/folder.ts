/**
 * Functions on a catalogue folder for the command line, which imports no other module of this room. Each function loads
 * its modules when it is called, so that a command loads no more than it needs.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { NotFoundError } from '../catalogue/errors.ts';
import type { RecordFormat } from '../catalogue/layout.ts';
import type { CheckOptions, CheckResult } from './checking/check.ts';
import type { ChangesOptions, ChangesSince } from './git/changes-since.ts';

export type { CheckDiagnostic, CheckOptions, CheckResult } from './checking/check.ts';
export type { FolderDiagnosis, FolderState } from './diagnose.ts';
export type { NamesRequest } from './reading/scan.ts';

/** A function that loads another one when it is called, and calls it. */
const loaded =
  <Args extends unknown[], Result>(load: () => Promise<(...args: Args) => Promise<Result>>) =>
  async (...args: Args): Promise<Result> =>
    (await load())(...args);

/** Opens the catalogue in a folder. @throws UnusableCatalogueError */
export const openFolder = loaded(async () => (await import('./file-catalogue.ts')).openFileCatalogue);

/**
 * Checks the files of a folder, and fixes them if the options say so.
 * @throws UnusableCatalogueError; for changed files only, NotFoundError, UnavailableError
 */
export async function checkFolder(root: string, options?: CheckOptions): Promise<CheckResult> {
  const { checkCatalogueFiles } = await import('./checking/check.ts');
  await removeLeftoversOfKilled(root);
  return checkCatalogueFiles(root, options);
}

/** Facts about a folder and its file system, for `catalogue doctor`. */
export const diagnoseFolder = loaded(async () => (await import('./diagnose.ts')).collectFolderFacts);

/**
 * The changes since a commit, or between two: `main`, `main..feature`, `main...feature`.
 * @throws NotFoundError, UnavailableError; the signal's reason
 */
export async function gitChangesSince(root: string, range: string, options?: ChangesOptions): Promise<ChangesSince> {
  const git = await import('./git/changes-since.ts');
  await (await import('./scaffold.ts')).ensureEditorSchemas(root);
  return git.compareGitStates(root, range, options);
}

/** True if git knows a commit by this name; false outside of a repository. */
export async function commitExists(root: string, name: string): Promise<boolean> {
  const { findCommit } = await import('./git/refs.ts');
  return findCommit(root, name).then(
    (commit) => commit !== null,
    () => false,
  );
}

/** Runs git in a folder, and returns its output. @throws Error */
export const runGit = loaded(async () => (await import('./git/git.ts')).runGit);

/** The files that git leaves out of a folder; see `sparse-checkout.ts`. */
export const listFilesNotCheckedOut = loaded(
  async () => (await import('./git/sparse-checkout.ts')).listFilesNotCheckedOut,
);

export { findCloudPlaceholders } from './cloud-placeholders.ts';

/** The git repository that a folder is in; absolute paths. */
export interface Repository {
  /** Top of the working tree. */
  readonly top: string;
  readonly hooks: string;
  /** The `.git` folder, which linked working trees share. */
  readonly common: string;
}

/**
 * The git repository that a folder is in.
 * @param folder may be one that doesn't exist yet
 * @throws NotFoundError outside of a repository, or without git
 */
export async function repositoryOf(folder: string): Promise<Repository> {
  const { GitError, runGit } = await import('./git/git.ts');
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    const top = resolve((await runGit(existing, ['rev-parse', '--show-toplevel'])).trim());
    const paths = await runGit(top, ['rev-parse', '--git-path', 'hooks', '--git-common-dir']);
    const [hooks = '', common = ''] = paths.split('\n').map((path) => resolve(top, path));
    return { top, hooks, common };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (!/not a git repository/.test(error.message)) throw new NotFoundError(`${error.message}.`);
    throw new NotFoundError(
      'A hook or a workflow needs a git repository, and the folder is in none. Run first: git init',
    );
  }
}

/** Names in a folder, for completion. The records aren't read, and may be broken. */
export const listRecordNames = loaded(async () => (await import('./reading/scan.ts')).listRecordNames);

/** Makes a folder for a catalogue, with the files for git and editors. */
export const prepareFolder = loaded(async () => (await import('./scaffold.ts')).prepareFolder);

/** Makes a new catalogue with this title. */
export const createCatalogue = loaded(async () => (await import('./scaffold.ts')).createCatalogue);

/** See `leftovers.ts`. */
export const removeLeftoversOfKilled = loaded(async () => (await import('./leftovers.ts')).removeLeftoversOfKilled);

/** Writes a backup; see `writeBackup`. */
export async function writeBackup(...args: Parameters<typeof import('./backup/backup.ts').writeBackup>) {
  const { writeBackup } = await import('./backup/backup.ts');
  await (await import('./scaffold.ts')).ensureEditorSchemas(args[0]);
  return writeBackup(...args);
}

/** Restores a backup; see `restoreBackup`. */
export const restoreBackup = loaded(async () => (await import('./backup/restore.ts')).restoreBackup);

/** Moves payloads to the object store, or back; see `movePayloads`. */
export const movePayloads = loaded(async () => (await import('./payloads/move-payloads.ts')).movePayloads);

/** The payloads of a folder, and where they lie; see `locatePayloads`. */
export const locatePayloads = loaded(async () => (await import('./payloads/move-payloads.ts')).locatePayloads);

/** The number of payloads that lie in the object store, and their bytes. */
export async function countStoredPayloads(root: string): Promise<{ payloads: number; bytes: number }> {
  const [{ openFileCatalogue }, { listPayloads }] = await Promise.all([
    import('./file-catalogue.ts'),
    import('./payloads/move-payloads.ts'),
  ]);
  const catalogue = await openFileCatalogue(root, { readOnly: true });
  let [payloads, bytes] = [0, 0];
  // A backup of broken settings is one all the same.
  await catalogue.load({ lenient: true });
  if (!catalogue.snapshot.settings.payloads.store) return { payloads, bytes };
  for await (const { isStored, size } of listPayloads(catalogue))
    if (isStored) {
      payloads++;
      bytes += size;
    }
  return { payloads, bytes };
}

/**
 * Asks the object store of a folder for a list, as a test.
 * @returns its address, such as s3://bucket/folder; null if the settings name none
 * @throws ObjectStoreError, UnavailableError
 */
export async function reachObjectStore(root: string): Promise<string | null> {
  const [{ openFileCatalogue }, { assertObjectStore }] = await Promise.all([
    import('./file-catalogue.ts'),
    import('./payloads/object-store.ts'),
  ]);
  const catalogue = await openFileCatalogue(root, { readOnly: true });
  try {
    await catalogue.ensureRead([{ kind: 'settings' }]);
    const { payloads } = catalogue.snapshot.settings;
    if (!payloads.store) return null;
    await assertObjectStore(payloads);
    return payloads.store;
  } finally {
    await catalogue.close();
  }
}

/** Compares the object store with the payloads; see `verifyPayloads`. */
export const verifyPayloads = loaded(async () => (await import('./payloads/move-payloads.ts')).verifyPayloads);

/** Functions that find and remove objects that nothing names. */
export const loadUnreferencedObjects = () => import('./payloads/unreferenced-objects.ts');

/** Text of a settings file without the keys that belong to one server: its URL, the proxy in front of it, and its object store. */
export async function settingsTextForClone(text: string, format: RecordFormat): Promise<string> {
  const { editRecordText } = await import('../text/document.ts');
  return editRecordText(text, format, { base_url: undefined, trust_proxy: undefined, payloads: undefined }, []);
}

/**
 * Sets keys of catalogue.yaml; other keys and comments stay.
 * @param changesOf the changes, by what the file says once nobody else writes it
 * @throws NotFoundError if there is none; ConflictError if its text is broken
 */
export async function editSettings(
  root: string,
  changesOf: (settings: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Promise<void> {
  const [
    { recordFormat, recordPaths },
    { editRecord, mappingOf },
    { RecordText },
    { writeDurably },
    { withLock },
    { readFile },
  ] = await Promise.all([
    import('../catalogue/layout.ts'),
    import('../text/document.ts'),
    import('../text/parse.ts'),
    import('../disk/durable.ts'),
    import('../disk/lock.ts'),
    import('node:fs/promises'),
  ]);
  const path = recordPaths({ kind: 'settings' }).find((name) => existsSync(resolve(root, name)));
  if (path === undefined) throw new NotFoundError('The folder has no catalogue.yaml. Make one: catalogue init');
  await withLock(root, path, async () => {
    const settings = new RecordText(await readFile(resolve(root, path), 'utf8'), recordFormat(path));
    await writeDurably(resolve(root, path), editRecord(settings, changesOf(mappingOf(settings)), []).text);
  });
}
