/** `catalogue clone`: a catalogue elsewhere becomes one in a folder, that can be kept in step with it. */
import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import type { Replica } from '../../catalogue/replica.ts';
import type { Call, Verb } from '../command.ts';
import { defaultFolder } from '../folder.ts';
import { dryRun } from '../options.ts';
import { bytesText, counted } from '../output/quantities.ts';
import { prepareFolder } from '../setup/new-folder.ts';
import { openPair, readOrigin, writeOrigin } from '../sync/pair.ts';
import { amountOf, exitCodeOf, runSync, showFailures } from '../sync/run.ts';

export const command: Verb<{ dryRun?: boolean }> = {
  usage: 'clone <url> [dir]',
  description: 'Copy a catalogue from elsewhere into a folder, to be kept in step with it.',
  notes:
    `The folder is ${defaultFolder} unless named otherwise. It has what you may see; private things need a sign-in ` +
    'before: catalogue login. A clone that broke off goes on when the same is typed again.',
  examples: ['catalogue clone https://data.example.org', 'catalogue clone https://data.example.org my-data'],
  on: 'both',
  options: () => [dryRun()],
  async run(call, [given = '', dir], { dryRun: rehearse }) {
    const { context, global, show } = call;
    const name = dir ?? global.data ?? (context.env.CATALOGUE_DATA || defaultFolder);
    const folder = resolve(context.cwd, name);
    const url = await call.remoteUrl(given);
    const goesOn = await mustBeFree(folder, name, url);
    const { replica: depot } = await call.remote(given);
    if (rehearse) return rehearsed(call, depot, name);
    const settings = await settingsOf(depot);
    if (!goesOn) {
      await prepareFolder(folder);
      await writeOrigin(folder, { url, cloning: true });
    }
    if (settings && !existsSync(join(folder, settings.path)))
      await writeFile(join(folder, settings.path), settings.text);
    return openPair(call, folder, given, async (pair, other) => {
      const result = await runSync(call, 'Cloning', pair, 'pull', {});
      const { failures, plan } = result;
      await writeOrigin(folder, { url });
      if (show.asJson) show.json({ remote: url, folder: name, records: result.done.length });
      else if (!show.forPeople) show.line(name);
      await showFailures(call, plan.held, failures);
      show.message(`Cloned ${amountOf(result)} from ${other.name} into ${name}.`);
      return exitCodeOf(result);
    });
  },
};

/**
 * The folder has nothing in it but dotfiles, or a clone that broke off.
 * @returns whether it goes on
 */
async function mustBeFree(folder: string, name: string, url: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  if (!(await stat(folder)).isDirectory())
    throw new ConflictError(`${name} is a file. Name another folder: catalogue clone ${url} DIR`);
  const origin = await readOrigin(folder);
  if (origin?.url === url) {
    if (origin.cloning) return true;
    throw new ConflictError(`${name} is a clone of ${url} already. Bring it up to date: catalogue pull`);
  }
  const first = (await readdir(folder)).find((entry) => !entry.startsWith('.'));
  if (first !== undefined)
    throw new ConflictError(`${name} isn't empty: ${first} is in it. Name another folder: catalogue clone ${url} DIR`);
  return false;
}

/**
 * The settings there, but for how it is reached: a copy has another address, and no proxy before it. Null where there
 * are none.
 */
async function settingsOf(depot: Replica): Promise<{ readonly path: string; readonly text: string } | null> {
  const [{ editText }, { recordText }] = await Promise.all([
    import('../../text/document.ts'),
    import('../../sync/record-text.ts'),
  ]);
  for (const path of ['catalogue.yaml', 'catalogue.yml', 'catalogue.json'])
    try {
      const found = await recordText(await depot.read(path));
      const format = path.endsWith('.json') ? 'json' : 'yaml';
      return { path, text: editText(found, format, { base_url: undefined, trust_proxy: undefined }, []) };
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  return null;
}

async function rehearsed({ show }: Call, depot: Replica, name: string): Promise<number> {
  let records = 0;
  let bytes = 0;
  for await (const entry of (await depot.manifest())?.entries ?? [])
    if (entry.record) records++;
    else bytes += entry.size;
  show.line(`Would clone ${counted(records, 'record')} and ${bytesText(bytes)} into ${name}`);
  return 0;
}
