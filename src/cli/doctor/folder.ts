/** The catalogue's folder: what it lies on, and what lies in it. */
import { constants, existsSync, readFileSync, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bytesText, counted } from '../output/quantities.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warning, problem } = findingsOf('folder');

const little = 1e9;
const tooLittle = 50e6;

/** File systems that others write to without this machine being told. */
const shared = /^(nfs|cifs|smb|9p|fuse\.(sshfs|rclone|s3fs)|vboxsf|virtiofs|drvfs|ceph|glusterfs)/;

/** Where there is no folder, there may be a remote. */
export const withoutFolder = (error: Error): Finding => warning('path', 'There is none.', error.message);

/** What is true of the folder itself. @param root absolute path */
export async function lookAtPlace(root: string): Promise<readonly Finding[]> {
  const may = (mode: number) =>
    access(root, mode).then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code ?? 'no permission',
    );
  const unreadable = await may(constants.R_OK | constants.X_OK);
  if (unreadable)
    return [problem('path', `${root} can't be read (${unreadable})`, 'Give this user permission to read the folder.')];
  const unwritable = await may(constants.W_OK);
  return [
    ok('path', root),
    unwritable === null
      ? ok('access', 'can be read and written')
      : warning(
          'access',
          `can be read, not written (${unwritable})`,
          'Give this user permission, or serve --read-only.',
        ),
    ...lookAtFileSystem(root),
    await lookAtSpace(root),
  ];
}

function lookAtFileSystem(root: string): readonly Finding[] {
  const type = fileSystemOf(root);
  const caseText = isCaseInsensitive(root) ? ', upper and lower case are the same' : '';
  if (type === null) return caseText ? [ok('file system', caseText.slice(2))] : [];
  if (!shared.test(type)) return [ok('file system', type + caseText)];
  const advice = 'What other machines write there is found by looking every few seconds, not at once.';
  return [warning('file system', `${type}${caseText}: it is shared`, advice)];
}

/** By the mount that the folder lies in; null where that can't be told. */
function fileSystemOf(root: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .map(([, at = '', type = '']) => ({ at: at.replace(/\\040/g, ' '), type }))
      .filter(({ at }) => at !== '' && `${root}/`.startsWith(at === '/' ? '/' : `${at}/`));
    // Of several at one place, the last one mounted counts.
    return (
      mounts.reduce((best, one) => (one.at.length >= best.at.length ? one : best), { at: '', type: '' }).type || null
    );
  } catch {
    return null;
  }
}

function isCaseInsensitive(root: string): boolean {
  const name = ['namespaces', 'catalogue.yaml'].find((one) => existsSync(join(root, one)));
  if (name === undefined || !existsSync(join(root, name.toUpperCase()))) return false;
  return statSync(join(root, name)).ino === statSync(join(root, name.toUpperCase())).ino;
}

async function lookAtSpace(root: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(root);
  const free = bavail * bsize;
  const message = `${bytesText(free)} free`;
  if (free >= little) return ok('space', message);
  const advice = 'Make room on the disk: every write needs some beside what is there.';
  return free < tooLittle ? problem('space', message, advice) : warning('space', message, advice);
}

/** How many changes the system lets be followed, beside what the catalogue needs. */
export async function lookAtWatching(datasets: number, namespaces: number): Promise<readonly Finding[]> {
  const { watchBudget, systemLimit, whyPolled } = await import('../../files/following/watch-budget.ts');
  const { foldersOf } = await import('../../files/following/lookouts.ts');
  const foldersPer = (unit: Parameters<typeof foldersOf>[0]) => foldersOf(unit).length;
  const need =
    foldersPer({ kind: 'settings' }) +
    namespaces * foldersPer({ kind: 'namespace', slug: '' }) +
    datasets * foldersPer({ kind: 'dataset', namespace: '', slug: '' });
  const limit = systemLimit();
  const watches = limit === null ? 'no limit' : `${limit} allowed by fs.inotify.max_user_watches`;
  const message = `${counted(need, 'folder')} to be watched, ${watches}`;
  const budget = watchBudget();
  const instances = numberIn('/proc/sys/fs/inotify/max_user_instances');
  return [
    need <= budget ? ok('watching', message) : warning('watching', message, whyPolled(need, budget)),
    ...(instances === null ? [] : [lookAtInstances(instances)]),
  ];
}

/** One server takes one; editors and desktops take some too. */
function lookAtInstances(instances: number): Finding {
  const message = `${instances} allowed by fs.inotify.max_user_instances, a server takes 1`;
  return instances >= 32
    ? ok('watchers', message)
    : warning('watchers', message, 'Raise it: sysctl fs.inotify.max_user_instances=1024');
}

function numberIn(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, 'latin1'), 10);
  } catch {
    return null;
  }
}

/** Whether a .gitattributes in the folder or above it keeps something in Git LFS. */
export function asksForLfs(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.gitattributes');
    if (existsSync(path) && /^[^#\n]*\bfilter=lfs\b/m.test(readFileSync(path, 'utf8'))) return true;
    if (existsSync(join(at, '.git')) || dirname(at) === at) return false;
  }
}
