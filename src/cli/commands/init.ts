/** `catalogue init`: a folder to start with. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import type { Verb } from '../command.ts';
import { defaultFolder, isCatalogue } from '../folder.ts';
import { dryRun } from '../options.ts';

interface InitOptions {
  readonly title: string;
  readonly dryRun?: boolean;
}

const gitignore = `# Accounts, caches and files in the making: theirs is this computer only.
.catalogue/
`;

const gitattributes = `# Payloads are served byte for byte under their checksum: git must not touch their line ends.
namespaces/*/datasets/*/data/** -text

# Large payloads, from some 10 MB on, weigh on every clone for ever. Keep them in Git LFS (https://git-lfs.com): take
# the "#" off the lines that fit and run "git lfs install" once. Or leave them where they are, and give their address in
# the version's file instead: "file: { url: https://… }".
# namespaces/*/datasets/*/data/*.parquet filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.geojson filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.csv filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.gz filter=lfs diff=lfs merge=lfs -text
`;

export const command: Verb<InitOptions> = {
  usage: 'init [dir]',
  description: 'Make a new catalogue.',
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
  const [{ schemaHeader, writeEditorSchemas }, { pairLines, houseHabits }] = await Promise.all([
    import('../../files/editor-schemas.ts'),
    import('../../files/emit.ts'),
  ]);
  await mkdir(join(folder, 'namespaces'), { recursive: true });
  await addText(join(folder, '.gitignore'), gitignore);
  await addText(join(folder, '.gitattributes'), gitattributes);
  await writeEditorSchemas(folder);
  const path = 'catalogue.yaml';
  const lines = [schemaHeader('settings', path, ''), ...pairLines('title', title, 0, houseHabits)];
  await writeFile(join(folder, path), `${lines.join('\n')}\n`, { flag: 'wx' });
}

/** Writes a file, or adds to the one that is there. */
async function addText(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (before.includes(text)) return;
  const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  await appendFile(path, gap + text);
}

const shellWord = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
