/** Files that this process has open. */
import { readdirSync, readlinkSync } from 'node:fs';

/** Paths below a folder of files that this process has open, as Linux lists them; none on other systems. */
export function openFilesIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  return links.filter((path) => path.startsWith(folder));
}
