/** Which folder is meant. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UnusableCatalogueError } from '../catalogue/errors.ts';

/** The name that a catalogue's folder has unless it is given another one. */
export const defaultFolder = 'catalogue-data';

const marks = ['catalogue.yaml', 'catalogue.yml', 'catalogue.json', 'namespaces'];

/** Whether the folder looks like a catalogue. */
export const isCatalogue = (folder: string): boolean => marks.some((mark) => existsSync(join(folder, mark)));

/**
 * The catalogue's folder: as `--data` says, else CATALOGUE_DATA, else ./catalogue-data, else the current folder if it
 * is a catalogue itself.
 * @throws UnusableCatalogueError where there is none of them
 */
export function dataFolder(given: string | undefined, cwd: string, env: NodeJS.ProcessEnv): string {
  const named = given ?? (env.CATALOGUE_DATA || undefined);
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (existsSync(folder)) return folder;
    const source = given === undefined ? ' (CATALOGUE_DATA)' : '';
    throw new UnusableCatalogueError(`There is no folder ${named}${source}. Make one with: catalogue init ${named}`);
  }
  const usual = join(cwd, defaultFolder);
  if (existsSync(usual)) return usual;
  if (isCatalogue(cwd)) return cwd;
  throw new UnusableCatalogueError(
    `There is no catalogue here: no folder ${defaultFolder}, no catalogue.yaml and no namespaces. ` +
      'Make one with: catalogue init. Or say where it is: --data DIR',
  );
}
