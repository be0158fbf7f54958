/** `catalogue backup` and `catalogue restore`: a catalogue folder as one file. */
import { basename, resolve } from 'node:path';
import { Option } from 'commander';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { Verb } from '../command.ts';
import { defaultFolder } from '../folder.ts';
import { runInterruptible } from '../interruption.ts';
import { bytesText, countText } from '../output/quantities.ts';

interface BackupOptions {
  readonly force?: boolean;
}

interface RestoreOptions extends BackupOptions {
  readonly accounts?: boolean;
}

export const backup: Verb<BackupOptions> = {
  usage: 'backup <file>',
  description: 'Write the whole catalogue to one file, passwords and tokens included.',
  notes:
    'It is a .tar.gz that only you may read: it has the hashes of all passwords and tokens. Git holds neither them nor the ' +
    'trash. The server may be running. "-" is stdout.',
  examples: ['catalogue backup catalogue-2026-11-22.tar.gz', 'catalogue backup catalogue.tar.gz --force'],
  on: 'folder',
  options: () => [new Option('--force', 'Replace an existing file.')],
  async run({ context, show, folder }, [file = ''], { force }) {
    const root = resolve(context.cwd, folder());
    const { countStoredPayloads, writeBackup } = await import('../../files/folder.ts');
    const { files, skipped, damage } = await runInterruptible(context, 'No backup was written.', (signal) =>
      writeBackup(
        root,
        file === '-' ? (stream) => context.write(stream, { isWhole: true }) : resolve(context.cwd, file),
        {
          force,
          signal,
        },
      ),
    );
    if (show.asJson && file !== '-') show.json({ file, files, skipped });
    if (damage !== null) show.message(`Warning: ${damage} The backup has the file as it is.`);
    for (const { path, reason } of skipped)
      show.message(`Warning: ${escapeToOneLine(path)} is not in the backup: ${reason}.`);
    show.message(`Wrote ${countText(files, 'file')} to ${file === '-' ? 'stdout' : file}.`);
    const { payloads, bytes } = await countStoredPayloads(root);
    if (payloads)
      show.message(
        `${countText(payloads, 'payload')} (${bytesText(bytes)}) lie in the object store, and not in the backup.`,
      );
    return 0;
  },
};

export const restore: Verb<RestoreOptions> = {
  usage: 'restore <file> [dir]',
  description: 'Restore a catalogue from a backup.',
  notes:
    `The folder is ${defaultFolder} unless another one is named, and must be empty. With --accounts, an existing catalogue, ` +
    'such as a clone from git, gets its passwords and tokens back. Stop the server before, and check afterwards: catalogue check',
  examples: [
    'catalogue restore catalogue-2026-11-22.tar.gz',
    'catalogue restore catalogue-2026-11-22.tar.gz --accounts',
  ],
  on: 'folder',
  options: () => [
    new Option(
      '--force',
      'Restore into a folder with files: those of the backup replace them, others stay. With --accounts, replace passwords and tokens.',
    ),
    new Option('--accounts', 'Restore passwords and tokens only.'),
  ],
  async run({ context, global, show, folder }, [file = '', dir], options) {
    const name = dir ?? (options.accounts ? folder() : (global.data ?? (context.env.CATALOGUE_DATA || defaultFolder)));
    const { restoreBackup: restoreFolder } = await import('../../files/folder.ts');
    const skipped = await restoreFolder(resolve(context.cwd, file), resolve(context.cwd, name), options);
    if (show.asJson) show.json({ folder: name, skipped });
    for (const { path, reason } of skipped)
      show.message(`Warning: ${escapeToOneLine(path)} was not restored: ${reason}.`);
    // "." and ".." are shown as the name of the folder.
    const shown = /^[./\\]*$/.test(name) ? basename(resolve(context.cwd, name)) || name : name;
    show.message(options.accounts ? `Restored the passwords and tokens of ${shown}.` : `Restored ${shown}.`);
    return 0;
  },
};
