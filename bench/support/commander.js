/** A commander program that does nothing: or with `read FOLDER`, reads and parses the records in a folder. */
import { Command } from 'commander';

const program = new Command('bare').description('Nothing.').option('--data <dir>');
program.command('list');
program.command('read <folder>').action(async (folder) => {
  const [{ readdirSync, readFileSync }, { load }] = await Promise.all([import('node:fs'), import('js-yaml')]);
  let count = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.name.endsWith('.yaml'))
      count += Object.keys(load(readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'))).length;
  console.log(`${count} fields`);
});
await program.parseAsync();
