/** Documents of servers on disk, between two runs: the bytes as `<stem>.body`, and what is known of them as `<stem>.json`. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnswerHead, isValidFor } from './partial-download.ts';

/** What is kept beside a document. */
export interface Kept extends Omit<AnswerHead, 'coding' | 'validator'> {
  readonly url: string;
  /** Run that fetched or confirmed it. */
  readonly run: string;
}

/** Milliseconds. */
const maxUnused = 30 * 24 * 3_600_000;

/** @param stem path without extension */
export async function readKept(stem: string): Promise<Kept | null> {
  try {
    const kept = JSON.parse(await readFile(`${stem}.json`, 'utf8')) as Kept;
    await stat(`${stem}.body`);
    return kept;
  } catch {
    return null;
  }
}

/** The headers that ask for what is at an address only if it has changed; none if another address has answered. */
export function conditionsOf(kept: Kept | null, address: string): Record<string, string> {
  if (!kept || !isValidFor(kept, address)) return {};
  const { etag, lastModified } = kept;
  return {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && !etag && { 'if-modified-since': lastModified }),
  };
}

/** Removes the ETag and the date of a document, so that it is asked for as a whole. @param stem path without extension */
export async function forgetValidators(stem: string): Promise<void> {
  const kept = await readKept(stem);
  if (!kept?.etag && !kept?.lastModified) return;
  const { etag: _, lastModified: __, ...others } = kept;
  await writeFile(`${stem}.json`, JSON.stringify(others));
}

/** Deletes documents that no run has used for 30 days, and parts of them. A run that uses one writes its `.json` anew. */
export async function removeUnusedDocuments(folder: string): Promise<void> {
  const stemOf = (name: string) => /^[0-9a-f]{32}(?=\.)/.exec(name)?.[0] ?? '';
  const names = (await readdir(folder)).filter(stemOf);
  const lastUse = new Map<string, number>();
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    lastUse.set(stemOf(name), Math.max(mtimeMs, lastUse.get(stemOf(name)) ?? 0));
  }
  for (const name of names)
    if ((lastUse.get(stemOf(name)) ?? 0) < Date.now() - maxUnused) await rm(join(folder, name), { force: true });
}
