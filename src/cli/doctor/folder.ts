/** Health checks of the catalogue's folder, and of the catalogue in it. */
import { join } from 'node:path';
import { noCredentialsWarning } from '../../catalogue/accounts.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { CatalogueError, UnusableCatalogueError } from '../../catalogue/errors.ts';
import type { FolderDiagnosis, FolderState } from '../../files/folder.ts';
import { ageText, bytesText, countText } from '../output/quantities.ts';
import { quoteForShell } from '../typed-command.ts';
import { checksOf, type HealthCheck } from './health-check.ts';

const { ok, warning, problem } = checksOf('folder');

const littleSpace = 1e9;
const tooLittleSpace = 50e6;

/** The check if there is no folder. That isn't a problem for people who only work with remotes. */
export const missingFolder = (error: Error): HealthCheck => warning('path', 'no folder', error.message);

/** @param root absolute path of the folder */
export function folderHealthChecks(
  root: string,
  { readError, writeError, state }: FolderDiagnosis,
): readonly HealthCheck[] {
  if (state === null)
    return [problem('path', `${root} can't be read (${readError})`, 'Give this user permission to read the folder.')];
  return [
    ok('path', root),
    writeError === null
      ? ok('access', 'can be read and written')
      : warning(
          'access',
          `can be read, not written (${writeError})`,
          'Give this user permission, or serve --read-only.',
        ),
    ...checkFileSystem(state),
    checkAccounts(root, state),
    ...gitHealthChecks(state),
    checkLeftovers(state),
    ...checkTrash(state),
    checkCache(state),
    ...watchLimitHealthCheck(state.watches),
  ];
}

function checkFileSystem({ fileSystem: { type, isShared, ignoresCase, free } }: FolderState): readonly HealthCheck[] {
  const facts = [...(type === null ? [] : [type]), ...(ignoresCase ? ['upper and lower case are the same'] : [])];
  const system = facts.join(', ');
  const message = `${bytesText(free)} free`;
  const advice = 'Free some space on the disk: every write needs some.';
  return [
    ...(isShared
      ? [
          warning(
            'file system',
            `${system}: it is shared`,
            'Changes by other machines are found every few seconds, not at once.',
          ),
        ]
      : system
        ? [ok('file system', system)]
        : []),
    free >= littleSpace
      ? ok('space', message)
      : free < tooLittleSpace
        ? problem('space', message, advice)
        : warning('space', message, advice),
  ];
}

function checkAccounts(root: string, { accounts, lacksCredentials, privateFolder }: FolderState): HealthCheck {
  if (privateFolder.isClosed)
    return warning(
      'accounts',
      `${privateFolder.path}/ can't be read: it belongs to another user`,
      'Run catalogue doctor as that user.',
    );
  const isOpenToOthers = accounts !== null && (accounts.mode & 0o077) !== 0 && process.platform !== 'win32';
  if (lacksCredentials && !isOpenToOthers)
    return warning('accounts', noCredentialsWarning.message, noCredentialsWarning.advice);
  if (!accounts) return ok('accounts', 'none yet');
  const { path, mode, owner, error } = accounts;
  const octal = mode.toString(8);
  const uid = process.getuid?.() ?? owner;
  const mayRead = uid === owner || uid === 0;
  if (isOpenToOthers)
    return problem(
      'accounts',
      `${path} may be read by others (mode ${octal})`,
      `Close it: chmod 600 ${quoteForShell(join(root, path))}`,
    );
  if (error !== null && mayRead) return problem('accounts', error, 'Until then, the server does not start.');
  if (process.platform === 'win32') return ok('accounts', path);
  return mayRead
    ? ok('accounts', `${path}, readable by its owner only (mode ${octal})`)
    : warning(
        'accounts',
        `${path} belongs to another user`,
        `Run catalogue as that user, or: chown ${uid} ${quoteForShell(join(root, path))}`,
      );
}

/** Hashes of passwords and tokens must not get into git. */
function gitHealthChecks({ privateFolder: { path, inGit } }: FolderState): readonly HealthCheck[] {
  const advice = `Add "${path}/" to .gitignore`;
  switch (inGit) {
    case 'tracked':
      return [problem('git', `${path}/ is in git`, `${advice}, and take it out: git rm -r --cached ${path}`)];
    case 'not ignored':
      return [problem('git', `${path}/ isn't ignored by git`, `${advice}.`)];
    case 'ignored':
      return [ok('git', `${path}/ is ignored by git`)];
    default:
      return [];
  }
}

function checkLeftovers({ leftovers }: FolderState): HealthCheck {
  if (leftovers === 0) return ok('leftovers', 'none');
  const message = `${countText(leftovers, 'file')} of writers that were killed`;
  return warning('leftovers', message, 'The next "catalogue serve" removes them.');
}

function checkTrash({ unreadableTrash: [first, ...others] }: FolderState): readonly HealthCheck[] {
  if (first === undefined) return [];
  const message = `the entry.json of ${first} is damaged, or can't be read`;
  const more = others.length > 0 ? `; ${others.length} more like it` : '';
  const advice = 'It is neither listed nor deleted by "catalogue trash". Move its files back, or delete its folder.';
  return [warning('trash', message + more, advice)];
}

function checkCache({ cache, privateFolder }: FolderState): HealthCheck {
  if (privateFolder.isClosed) return ok('cache', `${privateFolder.path}/ can't be read`);
  if (!cache) return ok('cache', 'none yet: the first server makes it');
  const message = `${bytesText(cache.size)}, written ${ageText(cache.modified.toISOString())}`;
  return ok('cache', cache.isUsable ? message : `${message}; it can't be used; the next start makes a new one`);
}

/** The limits of the system on watching folders. */
export function watchLimitHealthCheck(watches: FolderState['watches']): readonly HealthCheck[] {
  const { needed, watchLimit, instanceLimit, shortage } = watches;
  const limit = watchLimit === null ? 'no limit' : `${watchLimit} allowed by fs.inotify.max_user_watches`;
  const message = `${countText(needed, 'folder')} to be watched, ${limit}`;
  return [
    shortage === null ? ok('watching', message) : warning('watching', message, shortage),
    ...(instanceLimit === null ? [] : [checkInstances(instanceLimit)]),
  ];
}

/** A server takes one instance; editors and desktops take some, too. */
function checkInstances(limit: number): HealthCheck {
  const message = `${limit} allowed by fs.inotify.max_user_instances, a server takes 1`;
  return limit >= 32
    ? ok('watchers', message)
    : warning('watchers', message, 'Raise it: sysctl fs.inotify.max_user_instances=1024');
}

/** Checks that the object store can be reached. @param reach returns its address; null if payloads are in the folder */
export async function objectStoreHealthCheck(reach: () => Promise<string | null>): Promise<readonly HealthCheck[]> {
  const { ok, problem } = checksOf('catalogue');
  const name = 'object store';
  try {
    const address = await reach();
    return address === null ? [] : [ok(name, `${address} can be read`)];
  } catch (error) {
    // Another check reports a folder that is not a catalogue.
    if (error instanceof UnusableCatalogueError) return [];
    if (!(error instanceof CatalogueError)) throw error;
    const advice =
      'Check "payloads" in catalogue.yaml. Keys that are set for the server only are not known to this command.';
    return [problem(name, error.message, advice)];
  }
}

/** Checks that the catalogue can be read. @param open opens the catalogue in the folder */
export async function readCatalogueHealthCheck(open: () => Promise<Catalogue>): Promise<readonly HealthCheck[]> {
  const { ok, problem } = checksOf('catalogue');
  try {
    const catalogue = await open();
    const count = async (kind: 'namespace' | 'dataset' | 'version') =>
      countText((await catalogue.list(kind, { pageSize: 1 })).count, kind);
    const counts = [await count('namespace'), await count('dataset'), await count('version')];
    const broken = await catalogue.list('file', { filters: { status: ['invalid'] }, pageSize: 1 });
    const { title, base_url } = catalogue.settings;
    return [
      ok('settings', `${title}${base_url ? `, at ${base_url}` : ', without a base_url'}`),
      ok('contents', counts.join(', ')),
      broken.count === 0
        ? ok('files', 'none broken')
        : problem('files', `${countText(broken.count, 'file')} broken`, 'To see them: catalogue check'),
    ];
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return [problem('settings', error.message, 'See: catalogue check')];
  }
}
