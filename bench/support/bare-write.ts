/** What no durable write can do without. */
import { mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes, syncs and renames a small file, and syncs its folder.
 * @param writer its number: each has a folder of its own
 */
export async function bareWrite(root: string, writer: number): Promise<void> {
  const folder = join(root, '.catalogue', 'bare', String(writer));
  mkdirSync(folder, { recursive: true });
  const file = await open(join(folder, 'aside'), 'w');
  await file.writeFile('x'.repeat(900));
  await file.sync();
  await file.close();
  await rename(join(folder, 'aside'), join(folder, 'record'));
  const home = await open(folder, 'r');
  await home.sync();
  await home.close();
}
