/** `catalogue init`: makes a new catalogue. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import type { Verb } from '../command.ts';
import { defaultFolder, isCatalogueFolder } from '../folder.ts';
import { dryRunOption } from '../options.ts';
import { type GitPart, planGitSetup, writeGitSetup } from '../setup/git-parts.ts';
import { quoteForShell } from '../typed-command.ts';

interface InitOptions {
  readonly title: string;
  readonly hook?: boolean;
  readonly ci?: boolean;
  readonly dryRun?: boolean;
}

export const command: Verb<InitOptions> = {
  usage: 'init [dir]',
  description: 'Make a new catalogue.',
  on: 'folder',
  notes:
    `It is a folder with catalogue.yaml and files for git: ${defaultFolder} unless another one is named. In an existing ` +
    'catalogue, --hook and --ci add their files and change nothing else.',
  examples: [
    'catalogue init',
    'catalogue init my-data --title "Open data of Springfield"',
    'catalogue init --hook --ci',
  ],
  options: () => [
    new Option('--title <text>', 'Name of the catalogue.').default('Catalogue'),
    new Option('--hook', 'Add a pre-commit hook: git checks what is staged before each commit.'),
    new Option('--ci', 'Add a workflow: GitHub Actions checks pull requests and shows their changes.'),
    dryRunOption(),
  ],
  async run({ context, global, show }, [dir], options) {
    const adds = options.hook || options.ci;
    const within = adds && !existsSync(join(context.cwd, defaultFolder)) && isCatalogueFolder(context.cwd);
    const name = dir ?? global.data ?? (context.env.CATALOGUE_DATA || (within ? '.' : defaultFolder));
    const folder = resolve(context.cwd, name);
    if (options.title.trim() === '') throw new ValidationError({ title: ['This field may not be blank.'] });
    const exists = adds && isCatalogueFolder(folder);
    if (!exists) await assertEmpty(folder, name);
    const parts = await planGitSetup(folder, options);
    const place = ({ path }: GitPart) => relative(context.cwd, path).replaceAll('\\', '/');
    if (options.dryRun) {
      if (show.asJson) show.json({ folder: name });
      if (!exists) show.planned(`Would make a catalogue in ${name}`);
      for (const part of parts) if (!part.exists) show.planned(`Would add ${place(part)}`);
      return 0;
    }
    if (!exists) {
      const { createCatalogue } = await import('../../files/folder.ts');
      await createCatalogue(folder, options.title.trim());
    }
    await writeGitSetup(parts);
    if (show.asJson) show.json({ folder: name });
    else if (!show.forPeople && !exists) show.line(name);
    for (const part of parts) {
      show.message(part.exists ? `The ${part.what} exists already: ${place(part)}` : `Added ${place(part)}.`);
      if (part.advice) show.message(part.advice);
    }
    if (exists) return 0;
    const data =
      resolve(context.cwd, defaultFolder) === folder
        ? ''
        : ` --data ${quoteForShell(relative(context.cwd, folder) || '.')}`;
    show.message(
      [
        `Made a catalogue in ${name}. Next steps:`,
        `  catalogue${data} namespace add parks --label "Parks department"`,
        `  catalogue${data} publish trees.csv --to parks/trees --label Trees`,
        `  catalogue${data} serve`,
      ].join('\n'),
    );
    return 0;
  },
};

/** Checks that a folder has nothing in it but dotfiles, such as .git. @throws ConflictError */
async function assertEmpty(folder: string, name: string): Promise<void> {
  if (!existsSync(folder)) return;
  if (!(await stat(folder)).isDirectory())
    throw new ConflictError(`${name} is a file. Name another folder: catalogue init DIR`);
  if (isCatalogueFolder(folder)) throw new ConflictError(`There is a catalogue in ${name} already.`);
  const first = (await readdir(folder)).find((entry) => !entry.startsWith('.'));
  if (first !== undefined)
    throw new ConflictError(
      `${name} isn't empty (${first} is in it) and isn't a catalogue. Name a new folder: catalogue init DIR`,
    );
}
