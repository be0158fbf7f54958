/** The remote that a catalogue in a folder was cloned from, or first sent to: what `pull`, `push` and `diff` mean. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Origin {
  readonly url: string;
  /** Whether a clone has begun and not ended. */
  readonly cloning?: boolean;
}

const folder = 'remotes';
const pathIn = (root: string, name: string) => join(root, '.catalogue', folder, name);

/** @returns null where there is none */
export async function readOrigin(root: string): Promise<Origin | null> {
  const text = await readFile(pathIn(root, 'origin.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { url, cloning } = JSON.parse(text);
    return typeof url === 'string' ? { url, cloning: cloning === true } : null;
  } catch {
    return null;
  }
}

export async function writeOrigin(root: string, { url, cloning = false }: Origin): Promise<void> {
  const [{ writeDurably }, { makePrivateFolder }] = await Promise.all([
    import('../../disk/durable.ts'),
    import('../../disk/private-folder.ts'),
  ]);
  await makePrivateFolder(root, folder);
  const text = JSON.stringify({ url, ...(cloning && { cloning }) }, null, 2);
  await writeDurably(pathIn(root, 'origin.json'), `${text}\n`, { mode: 0o600 });
}

/** Where the last common state with a remote is kept: a name that people recognise, and that no other address has. */
export function statePath(root: string, url: string): string {
  const { host, pathname } = new URL(url);
  const words = `${host}${pathname}`.replace(/[^A-Za-z0-9.]+/g, '-').replace(/-+$/, '');
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 12);
  return pathIn(root, `${words.slice(0, 60)}-${hash}`);
}
