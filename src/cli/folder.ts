/** The folder of the local catalogue. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UnusableCatalogueError } from '../catalogue/errors.ts';
import { landmarks } from '../catalogue/layout.ts';

/** The default name of a catalogue's folder. */
export const defaultFolder = 'catalogue-data';

/** True if the folder looks like a catalogue. */
export const isCatalogueFolder = (folder: string): boolean => landmarks.some((name) => existsSync(join(folder, name)));

/**
 * The catalogue's folder, relative to the current one: that of `--data`, else CATALOGUE_DATA, else ./catalogue-data, else
 * the current folder if it is a catalogue.
 * @throws UnusableCatalogueError if no folder is named, and neither of the last two is a catalogue
 */
export function chooseCatalogueFolder(given: string | undefined, cwd: string, env: NodeJS.ProcessEnv): string {
  const named = given ?? (env.CATALOGUE_DATA || undefined);
  if (named !== undefined) {
    if (existsSync(resolve(cwd, named))) return named;
    const source = given === undefined ? ' (CATALOGUE_DATA)' : '';
    throw new UnusableCatalogueError(`There is no folder ${named}${source}. Make one with: catalogue init ${named}`);
  }
  if (existsSync(join(cwd, defaultFolder))) return defaultFolder;
  if (isCatalogueFolder(cwd)) return '.';
  throw new UnusableCatalogueError(
    `There is no catalogue here: no folder ${defaultFolder}, no catalogue.yaml and no namespaces. ` +
      'Make one with: catalogue init. Or say where it is: --data DIR',
  );
}

/** The absolute path of the catalogue folder; null outside of a catalogue. */
export function findCatalogueFolder(given: string | undefined, cwd: string, env: NodeJS.ProcessEnv): string | null {
  try {
    return resolve(cwd, chooseCatalogueFolder(given, cwd, env));
  } catch (error) {
    if (error instanceof UnusableCatalogueError) return null;
    throw error;
  }
}
