/** Files that are imported, beside the folder of a catalogue. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeRoot, type } from '../../support/prompt.ts';

/** Makes a catalogue, and files beside it. @param files contents by path */
export async function makeFiles(files: Readonly<Record<string, string | Buffer>>) {
  const root = await makeRoot();
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, '..', path)), { recursive: true });
    writeFileSync(join(root, '..', path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  /** Imports a source into the namespace `city`. @returns the members of the result, with what was written on stderr */
  const importing = async (source: string, ...options: readonly string[]) => {
    const { out, err } = await type(['import', source, '--to', 'city', '--json', ...options], { root });
    return { ...(out ? JSON.parse(out) : {}), err };
  };
  return { root, write, importing };
}
