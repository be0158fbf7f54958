/** The file of the remotes, remotes.json: written durably, by one process at a time, and readable by its owner only. */
import { chmod, mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { UnusableCatalogueError } from '../../catalogue/errors.ts';
import { type Login, type Move, noRemotes, type Remote, type Remotes } from './remotes.ts';

/**
 * The folder of this program's configuration: below $XDG_CONFIG_HOME if that is absolute (XDG Base Directory
 * Specification 0.8), else below ~/.config; on Windows below %APPDATA%.
 */
export function configurationFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const given = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  const usual = platform === 'win32' ? ['AppData', 'Roaming'] : ['.config'];
  const base = given && isAbsolute(given) ? given : join(env.HOME || homedir(), ...usual);
  return join(base, 'catalogue');
}

const pathOf = (env: NodeJS.ProcessEnv): string => join(configurationFolder(env), 'remotes.json');

/**
 * Reads the remotes; an empty list if there is no file.
 * @throws UnusableCatalogueError where the file can't be read or is damaged; the message doesn't quote it
 */
export async function readRemotes(env: NodeJS.ProcessEnv): Promise<Remotes> {
  return (await adapterFor(pathOf(env)).read()) ?? noRemotes;
}

/**
 * Changes the remotes.
 * @param change gets the file's newest content, and returns the new one; an error of it leaves the file unchanged
 * @throws UnusableCatalogueError, UnavailableError
 */
export async function changeRemotes(env: NodeJS.ProcessEnv, change: (data: Remotes) => Remotes): Promise<Remotes> {
  const path = pathOf(env);
  const [{ Low }, { default: lockfile }, { nameUnwritable, toUnavailableError }] = await Promise.all([
    import('lowdb'),
    import('proper-lockfile'),
    import('../../disk/not-writable.ts'),
  ]);
  let release = async () => {};
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    release = await lockfile.lock(path, { realpath: false, retries: { retries: 30, minTimeout: 20, maxTimeout: 500 } });
  } catch (error) {
    throw nameUnwritable(toUnavailableError(error, path), path);
  }
  try {
    const file = new Low<Remotes>(adapterFor(path), noRemotes);
    await file.read();
    file.data = change(file.data);
    await file.write().catch((error) => {
      throw nameUnwritable(error, path);
    });
    return file.data;
  } finally {
    await release().catch(() => {});
  }
}

/** An adapter for lowdb; its own ones don't set the file mode. */
function adapterFor(path: string): Adapter<Remotes> {
  return {
    async read() {
      const text = await textAt(path);
      return text === null ? null : remotesFrom(text, path);
    },
    async write(data) {
      const { writeDurably } = await import('../../disk/durable.ts');
      await writeDurably(path, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
    },
  };
}

async function textAt(path: string): Promise<string | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw new UnusableCatalogueError(`${path} can't be read (${error.code}): give yourself permission to read it.`);
  });
  if (file === null) return null;
  try {
    // A copy may be readable by others: that is corrected before anything else.
    if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600).catch(() => {});
    await chmod(dirname(path), 0o700).catch(() => {});
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function remotesFrom(text: string, path: string): Remotes {
  const damaged = (where: string) =>
    new UnusableCatalogueError(
      `${path} is damaged${where}, and was not changed. Fix it; or remove it, add the remotes and sign in again.`,
    );
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's own message may quote a token.
    throw damaged(' (not JSON)');
  }
  const { remotes, logins, moves = [] } = Object(data) as Record<string, unknown>;
  if (!Array.isArray(remotes) || !remotes.every(isRemote)) throw damaged(' at /remotes');
  if (!Array.isArray(logins) || !logins.every(isLogin)) throw damaged(' at /logins');
  if (!Array.isArray(moves) || !moves.every(isMove)) throw damaged(' at /moves');
  return data as Remotes;
}

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

/** Unknown keys are allowed, and kept. */
function isRemote(value: unknown): value is Remote {
  const { name, url } = Object(value);
  return isText(name) && isText(url) && URL.canParse(url);
}

function isMove(value: unknown): value is Move {
  const { from, to } = Object(value);
  return [from, to].every((url) => isText(url) && URL.canParse(url));
}

function isLogin(value: unknown): value is Login {
  const { url, user, token, id, expires } = Object(value);
  return [url, user, token].every(isText) && isTextOrNull(id) && isTextOrNull(expires);
}
