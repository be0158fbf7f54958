/** `catalogue clone`: copies a remote catalogue into a folder, from which it can be pulled and pushed. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConflictError } from '../../catalogue/errors.ts';
import { recordFormat } from '../../catalogue/layout.ts';
import type { Replica } from '../../catalogue/replica.ts';
import type { Call, Verb } from '../command.ts';
import { defaultFolder } from '../folder.ts';
import { dryRunOption } from '../options.ts';
import { bytesText, countText } from '../output/quantities.ts';
import { readOrigin, writeOrigin } from '../remote/origin.ts';
import { readSettingsFile } from '../remote/remote-settings.ts';
import { remotesWithoutMove } from '../remote/remotes.ts';
import { changeRemotes, readRemotes } from '../remote/remotes-file.ts';
import { withSyncPairInFolder } from '../sync/pair.ts';
import { countRecords, runSync, showSyncFailures, syncExitCode, transferredAmountText } from '../sync/run.ts';
import { quoteForShell } from '../typed-command.ts';

export const command: Verb<{ dryRun?: boolean }> = {
  usage: 'clone <url> [dir]',
  description: 'Copy a remote catalogue into a folder, ready for pull and push.',
  notes:
    `The folder is ${defaultFolder} unless another one is named. It gets what you may see; for private records, sign in ` +
    'first: catalogue login. If a clone was interrupted, the same command goes on with it.',
  examples: ['catalogue clone https://data.example.org', 'catalogue clone https://data.example.org my-data'],
  on: 'both',
  options: () => [dryRunOption()],
  async run(call, [given = '', dir], { dryRun: isDryRun }) {
    const { context, global, show } = call;
    const name = dir ?? global.data ?? (context.env.CATALOGUE_DATA || defaultFolder);
    const folder = resolve(context.cwd, name);
    call.allowTokenAt(given);
    const url = await call.remoteUrl(given);
    const isResumed = await isPartialClone(folder, name, url);
    const { replica } = await call.remote(given);
    if (isDryRun) return showDryRun(call, replica, url, name);
    const { settingsTextForClone, prepareFolder } = await import('../../files/folder.ts');
    const settings = await readSettingsFile(replica);
    // Nothing is written where nothing changes: the home folder of a service may be read-only.
    if ((await readRemotes(context.env)).moves?.some(({ from }) => from === url))
      await changeRemotes(context.env, (data) => remotesWithoutMove(data, url));
    if (!isResumed) {
      // Before anything else, so that a clone that is ended here can go on.
      await mkdir(folder, { recursive: true });
      await writeOrigin(folder, { url, cloning: true });
    }
    await prepareFolder(folder);
    if (settings && !existsSync(join(folder, settings.path))) {
      const { writeDurably } = await import('../../disk/durable.ts');
      const text = await settingsTextForClone(settings.text, recordFormat(settings.path));
      // Whole or not at all: what is there when the clone goes on isn't written again.
      await writeDurably(join(folder, settings.path), text, { exclusive: true });
    }
    return withSyncPairInFolder(call, folder, given, async (pair, remote, lost) => {
      const result = await runSync(call, 'Cloning', pair, 'pull', { isClone: true, signal: lost });
      const { failures, plan } = result;
      await writeOrigin(folder, { url });
      if (show.asJson) show.json({ remote: url, folder: name, records: countRecords(result.done) });
      else if (!show.forPeople) show.line(name);
      showSyncFailures(call, plan.blocked, failures);
      show.message(`Cloned ${transferredAmountText(result)} from ${remote.name} into ${name}.`);
      return syncExitCode(result);
    });
  },
};

/**
 * Checks that nothing but dotfiles is in the folder, or a clone that isn't complete.
 * @returns true if it is a clone that isn't complete
 * @throws ConflictError
 */
async function isPartialClone(folder: string, name: string, url: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  if (!(await stat(folder)).isDirectory())
    throw new ConflictError(`${name} is a file. Name another folder: catalogue clone ${url} DIR`);
  const origin = await readOrigin(folder);
  if (origin?.url === url) {
    if (origin.cloning) return true;
    throw new ConflictError(
      `${name} is a clone of ${url} already. Bring it up to date: catalogue pull --data ${quoteForShell(name)}`,
    );
  }
  const first = (await readdir(folder)).find((entry) => !entry.startsWith('.'));
  if (first !== undefined)
    throw new ConflictError(`${name} isn't empty: ${first} is in it. Name another folder: catalogue clone ${url} DIR`);
  return false;
}

async function showDryRun({ show }: Call, replica: Replica, url: string, name: string): Promise<number> {
  let records = 0;
  let bytes = 0;
  for await (const entry of (await replica.manifest())?.entries ?? [])
    if (entry.record) records++;
    else bytes += entry.size;
  if (show.asJson) show.json({ remote: url, folder: name, records });
  show.planned(`Would clone ${countText(records, 'record')} and ${bytesText(bytes)} into ${name}`);
  return 0;
}
