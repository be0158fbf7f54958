/** The file of the remotes: read as it is, written durably, by one process at a time, and for its owner's eyes only. */
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { UnusableCatalogueError } from '../../catalogue/errors.ts';
import { configurationFolder } from './configuration.ts';
import { type Login, noRemotes, type Remote, type Remotes } from './remotes.ts';

const pathOf = (env: NodeJS.ProcessEnv): string => join(configurationFolder(env), 'remotes.json');

/**
 * What is known of remotes; nothing where there is no file.
 * @throws UnusableCatalogueError that names a file which can't be read; it says nothing of what stands in it
 */
export async function readRemotes(env: NodeJS.ProcessEnv): Promise<Remotes> {
  return (await adapterFor(pathOf(env)).read()) ?? noRemotes;
}

/**
 * Changes what is known of remotes.
 * @param change may be called with what another process has written meanwhile; what it throws leaves the file as it is
 * @throws UnusableCatalogueError, UnavailableError
 */
export async function changeRemotes(env: NodeJS.ProcessEnv, change: (data: Remotes) => Remotes): Promise<Remotes> {
  const path = pathOf(env);
  const [{ Low }, { default: lockfile }, { toUnavailable: explained }] = await Promise.all([
    import('lowdb'),
    import('proper-lockfile'),
    import('../../disk/durable.ts'),
  ]);
  let release = async () => {};
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    release = await lockfile.lock(path, { realpath: false, retries: { retries: 30, minTimeout: 20, maxTimeout: 500 } });
  } catch (error) {
    throw explained(error, path);
  }
  try {
    const file = new Low<Remotes>(adapterFor(path), noRemotes);
    await file.read();
    file.data = change(file.data);
    await file.write();
    return file.data;
  } finally {
    await release().catch(() => {});
  }
}

/** The file for lowdb, whose own adapters know nothing of modes. */
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
    // A copy or a careless hand may have opened it to others: then it is closed again, before anything else.
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
      `${path} is damaged${where}. Mend it, or remove it: then add the remotes and sign in again. It was left as it is.`,
    );
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's own message may quote the text, and that is nothing to show.
    throw damaged(': it is no JSON');
  }
  const { remotes, logins } = Object(data) as Record<string, unknown>;
  if (!Array.isArray(remotes) || !remotes.every(isRemote)) throw damaged(' at /remotes');
  if (!Array.isArray(logins) || !logins.every(isLogin)) throw damaged(' at /logins');
  return data as Remotes;
}

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

/** Keys that nobody here knows stay. */
function isRemote(value: unknown): value is Remote {
  const { name, url } = Object(value);
  return isText(name) && isText(url) && URL.canParse(url);
}

function isLogin(value: unknown): value is Login {
  const { url, user, token, id, expires } = Object(value);
  return [url, user, token].every(isText) && isTextOrNull(id) && isTextOrNull(expires);
}
