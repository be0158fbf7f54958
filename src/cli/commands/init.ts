/** `catalogue init`: a folder to start with. */
import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import type { Verb } from '../command.ts';
import { defaultFolder, isCatalogue } from '../folder.ts';
import { prepareFolder } from '../new-folder.ts';
import { dryRun } from '../options.ts';

interface InitOptions {
  readonly title: string;
  readonly dryRun?: boolean;
}

export const command: Verb<InitOptions> = {
  usage: 'init [dir]',
  description: 'Make a new catalogue.',
  on: 'folder',
  notes: `It is a folder with catalogue.yaml and what git should know: ${defaultFolder} unless named otherwise.`,
  examples: ['catalogue init', 'catalogue init my-data --title "Open data of Springfield"'],
  options: () => [new Option('--title <text>', 'Name of the catalogue.').default('Catalogue'), dryRun()],
  async run({ context, global, show }, [dir], options) {
    const name = dir ?? global.data ?? (context.env.CATALOGUE_DATA || defaultFolder);
    const folder = resolve(context.cwd, name);
    if (options.title.trim() === '') throw new ValidationError({ title: ['This field may not be blank.'] });
    await mustBeEmpty(folder, name);
    if (options.dryRun) {
      show.line(`Would make a catalogue in ${name}`);
      return 0;
    }
    await makeCatalogue(folder, options.title.trim());
    if (!show.forPeople) show.line(name);
    const data =
      resolve(context.cwd, defaultFolder) === folder
        ? ''
        : ` --data ${shellWord(relative(context.cwd, folder) || '.')}`;
    show.message(
      [
        `Made a catalogue in ${name}. What comes next:`,
        `  catalogue${data} namespace add parks --label "Parks department"`,
        `  catalogue${data} publish trees.csv --to parks/trees --label Trees`,
        `  catalogue${data} serve`,
      ].join('\n'),
    );
    return 0;
  },
};

/** A folder with nothing in it but dotfiles, such as .git, is empty enough. */
async function mustBeEmpty(folder: string, name: string): Promise<void> {
  if (!existsSync(folder)) return;
  if (!(await stat(folder)).isDirectory())
    throw new ConflictError(`${name} is a file. Name another folder: catalogue init DIR`);
  if (isCatalogue(folder)) throw new ConflictError(`There is a catalogue in ${name} already.`);
  const first = (await readdir(folder)).find((entry) => !entry.startsWith('.'));
  if (first !== undefined)
    throw new ConflictError(
      `${name} isn't empty (${first} is in it) and is no catalogue. Name a new folder: catalogue init DIR`,
    );
}

/** Makes the folder; catalogue.yaml comes last, since with it the folder is a catalogue. */
async function makeCatalogue(folder: string, title: string): Promise<void> {
  const [{ schemaHeader }, { pairLines, houseHabits }] = await Promise.all([
    import('../../files/editor-schemas.ts'),
    import('../../files/emit.ts'),
  ]);
  await prepareFolder(folder);
  const path = 'catalogue.yaml';
  const lines = [schemaHeader('settings', path, ''), ...pairLines('title', title, 0, houseHabits)];
  await writeFile(join(folder, path), `${lines.join('\n')}\n`, { flag: 'wx' });
}

const shellWord = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
