/** `.catalogue/`, the private folder: who may read it, whether git leaves it alone, and what crashed writers left. */
import { execFile } from 'node:child_process';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ageText, bytesText, counted } from '../output/quantities.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warning, problem } = findingsOf('folder');
const run = promisify(execFile);
const anHour = 3_600_000;

/** @param root absolute path of the catalogue's folder */
export async function lookAtPrivate(root: string): Promise<readonly Finding[]> {
  const { privateFolder } = await import('../../catalogue/layout.ts');
  const { accountsPath } = await import('../../files/accounts/accounts-file.ts');
  return [
    await lookAtMode(root, accountsPath),
    ...(await lookAtIgnoring(root, privateFolder)),
    await lookAtLeftovers(root, privateFolder),
    await lookAtCache(root),
  ];
}

async function lookAtMode(root: string, path: string): Promise<Finding> {
  const found = await stat(join(root, path)).catch(() => null);
  if (!found) return ok('accounts', 'none yet');
  const mode = (found.mode & 0o777).toString(8);
  if (process.platform === 'win32') return ok('accounts', path);
  if (found.mode & 0o077)
    return problem(
      'accounts',
      `${path} may be read by others (mode ${mode})`,
      `Close it: chmod 600 ${join(root, path)}`,
    );
  const { uid } = process.getuid ? { uid: process.getuid() } : found;
  return uid === found.uid || uid === 0
    ? ok('accounts', `${path}, for its owner's eyes only (mode ${mode})`)
    : warning('accounts', `${path} belongs to another user`, `Run catalogue as that one, or: chown ${uid} ${path}`);
}

/** Passwords' hashes and tokens' have no business in git. */
async function lookAtIgnoring(root: string, folder: string): Promise<readonly Finding[]> {
  const git = (...args: string[]) =>
    run('git', ['-C', root, ...args]).then(
      ({ stdout }) => stdout,
      ({ code }) => (code === 1 ? '' : null),
    );
  const tracked = await git('ls-files', '--', folder);
  if (tracked === null) return [];
  const advice = `Add "${folder}/" to .gitignore`;
  if (tracked !== '')
    return [problem('git', `${folder}/ is in git`, `${advice}, and take it out: git rm -r --cached ${folder}`)];
  return (await git('check-ignore', `${folder}/accounts.json`)) === ''
    ? [problem('git', `${folder}/ isn't ignored by git`, `${advice}.`)]
    : [ok('git', `${folder}/ is ignored by git`)];
}

async function lookAtLeftovers(root: string, privateFolder: string): Promise<Finding> {
  const { isTemporary, isAbandoned } = await import('../../disk/durable.ts');
  let left = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (isTemporary(entry.name)) left += Number(await isAbandoned(path, anHour));
      else if (entry.isDirectory() && (entry.name === privateFolder || !entry.name.startsWith('.'))) folders.push(path);
    }
  if (left === 0) return ok('leftovers', 'none');
  const message = `${counted(left, 'file')} of writers that were killed`;
  return warning('leftovers', message, 'The next "catalogue serve" clears them away.');
}

async function lookAtCache(root: string): Promise<Finding> {
  const { cachePath, readCache } = await import('../../files/reading/cache.ts');
  const found = await lstat(cachePath(root)).catch(() => null);
  if (!found) return ok('cache', 'none yet: a server makes it');
  const units = await readCache(root);
  const what = `${bytesText(found.size)}, written ${ageText(found.mtime.toISOString())}`;
  return ok('cache', units.length ? what : `${what}; it can't be used and is made anew at the next start`);
}
