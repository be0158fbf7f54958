/** `catalogue payloads`: where payloads lie, in the folder or in an object store. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { ConflictError } from '../../catalogue/errors.ts';
import type { Call, Verb } from '../command.ts';
import { runInterruptible } from '../interruption.ts';
import { dryRunOption, parseAge, yesOption } from '../options.ts';
import { confirmRemoval } from '../output/outcome.ts';
import { showPercentProgress } from '../output/progress.ts';
import { bytesText, countText } from '../output/quantities.ts';
import { readOrigin } from '../remote/origin.ts';
import { typedCommand } from '../typed-command.ts';

const rootOf = ({ context, folder }: Call): string => resolve(context.cwd, folder());
const sizeOf = (things: readonly { readonly size: number }[]): string =>
  bytesText(things.reduce((sum, { size }) => sum + size, 0));

const list: Verb = {
  usage: 'list',
  description: 'List payloads with their sizes and places, the largest first.',
  notes:
    'The place is the folder or the object store, with "cached" if there is a copy on this computer. Payloads that are missing or ' +
    'damaged are not listed: catalogue check names them.',
  examples: ['catalogue payloads list', 'catalogue payloads list --json'],
  on: 'folder',
  async run(call) {
    const { show } = call;
    const { locatePayloads } = await import('../../files/folder.ts');
    const payloads = await locatePayloads(rootOf(call));
    if (show.asJson) show.json(payloads);
    else {
      const size = (bytes: number) => (show.forPeople ? bytesText(bytes) : String(bytes));
      const rows = payloads.map((one) => [one.path, size(one.size), one.cached ? `${one.place}, cached` : one.place]);
      if (rows.length) show.table(['PATH', 'SIZE', 'PLACE'], rows, { numbers: ['SIZE'] });
    }
    const stored = payloads.filter(({ place }) => place === 'store');
    const rest = stored.length ? `, of them ${stored.length} (${sizeOf(stored)}) in the object store` : '';
    show.message(
      payloads.length ? `${countText(payloads.length, 'payload')} (${sizeOf(payloads)})${rest}.` : 'No payloads.',
    );
    return 0;
  },
};

const move: Verb<{ to?: 'store' | 'folder'; dryRun?: boolean }> = {
  usage: 'move',
  description: 'Move large payloads to the object store, or all of them back.',
  notes:
    'The object store is the one that catalogue.yaml names under payloads, and large is what lies above the size there. New ' +
    'versions go there by themselves. Each payload is stored before a pointer takes its place; an interrupted move goes on with the ' +
    'same command. Commit the pointers afterwards.',
  examples: ['catalogue payloads move --dry-run', 'catalogue payloads move', 'catalogue payloads move --to folder'],
  on: 'folder',
  options: () => [
    new Option('--to <place>', 'Where to move them.').choices(['store', 'folder']).default('store'),
    dryRunOption(),
  ],
  async run(call, _args, { to = 'store', dryRun }) {
    const { context, show } = call;
    const { movePayloads } = await import('../../files/folder.ts');
    const progress = showPercentProgress(context, 'Moving');
    const { moved, problems } = await runInterruptible(
      context,
      'The payloads that were moved stay so. Run the same command to go on.',
      (signal) => movePayloads(rootOf(call), { to, dryRun, signal, onProgress: progress.at }),
    ).finally(progress.end);
    if (show.asJson) show.json({ moved, problems });
    else {
      if (dryRun) for (const { path, size } of moved) show.line(`Would move ${path} (${bytesText(size)})`);
      showProblems(call, problems);
    }
    const place = to === 'store' ? 'to the object store' : 'into the folder';
    const amount = moved.length ? `${countText(moved.length, 'payload')} (${sizeOf(moved)})` : 'nothing';
    if (!dryRun) show.message(`Moved ${amount} ${place}.`);
    return problems.length ? 1 : 0;
  },
};

const verify: Verb<{ deep?: boolean }> = {
  usage: 'verify',
  description: 'Compare the object store with the payloads that should be there.',
  notes: 'The exit code is 1 if one is missing or damaged.',
  examples: ['catalogue payloads verify', 'catalogue payloads verify --deep --json'],
  on: 'folder',
  options: () => [new Option('--deep', 'Read all bytes and compare their checksums; else sizes are compared.')],
  async run(call, _args, { deep = false }) {
    const { context, show } = call;
    const { verifyPayloads } = await import('../../files/folder.ts');
    const progress = showPercentProgress(context, 'Comparing');
    const { payloads, problems } = await verifyPayloads(rootOf(call), deep, progress.at).finally(progress.end);
    if (show.asJson) show.json({ payloads, problems });
    else showProblems(call, problems);
    const found = problems.length ? countText(problems.length, 'problem') : 'no problems';
    show.message(`${countText(payloads, 'payload')} compared: ${found}.`);
    return problems.length ? 1 : 0;
  },
};

const gc: Verb<{ olderThan?: number; yes?: boolean; force?: boolean; dryRun?: boolean }> = {
  usage: 'gc',
  description: 'Remove objects that no record and no commit names.',
  notes:
    'Uploads that were refused or interrupted leave such objects, and versions that were removed for good. An object stays if ' +
    'anything in the folder, its trash or its git repository has its checksum, on any branch. Other clones may have commits that ' +
    'this one lacks: fetch first, and share no folder of a bucket between catalogues. Give less than two days only while nothing ' +
    'is published: an upload takes an object of the last day as stored.',
  examples: ['catalogue payloads gc --dry-run', 'catalogue payloads gc --older-than 30d --yes'],
  on: 'folder',
  options: () => [
    new Option('--older-than <age>', 'Only objects that were stored longer ago: 30d, 12h, 2w.')
      .argParser(parseAge)
      .default(7 * 86_400_000, '7d'),
    yesOption(),
    new Option('--force', 'Also in a folder that is synchronised with a remote, whose own store this is.'),
    dryRunOption(),
  ],
  async run(call, _args, { olderThan = 0, yes, force, dryRun }) {
    const { show } = call;
    if (!force) await assertNoRemoteHasStore(call);
    const { loadUnreferencedObjects } = await import('../../files/folder.ts');
    const { findUnreferencedObjects, removeUnreferencedObjects } = await loadUnreferencedObjects();
    const found = await findUnreferencedObjects(rootOf(call), olderThan);
    const { objects, uploads } = found;
    if (uploads === null) show.message('The object store has no list of unfinished uploads, so they stay.');
    const showFound = () =>
      show.json({ objects: objects.map(({ key, size, modified }) => ({ key, size, modified })), uploads });
    if (dryRun) {
      if (show.asJson) showFound();
      else
        for (const { key, size, modified } of objects)
          show.line(`Would remove ${key} (${bytesText(size)}, of ${modified.toISOString().slice(0, 10)})`);
      if (!show.asJson && uploads) show.line(`Would remove ${countText(uploads, 'unfinished upload')}`);
      return 0;
    }
    if (objects.length)
      await confirmRemoval(call, `${countText(objects.length, 'object')} (${sizeOf(objects)}) for good`, yes);
    const removed = objects.length || uploads ? await removeUnreferencedObjects(rootOf(call), found, olderThan) : 0;
    if (show.asJson) showFound();
    const unfinished = uploads ? ` and ${countText(uploads, 'unfinished upload')}` : '';
    show.message(removed || uploads ? `Removed ${countText(removed, 'object')}${unfinished}.` : 'Nothing to remove.');
    return 0;
  },
};

/**
 * Checks that no remote may need objects that the folder doesn't name: its newest versions, its drafts, and what is in its trash.
 * @throws ConflictError if the folder was cloned or pushed
 */
async function assertNoRemoteHasStore(call: Call): Promise<void> {
  const origin = await readOrigin(rootOf(call));
  if (origin === null) return;
  throw new ConflictError(
    `This folder is synchronised with ${origin.url}. If that server uses the same object store, it has versions there that this ` +
      `folder lacks: run this command in the folder of the server. If the store is of this folder alone: ${typedCommand(call, 'payloads gc --force')}`,
  );
}

function showProblems({ show }: Call, problems: readonly { readonly path: string; readonly message: string }[]): void {
  for (const { path, message } of problems) show.line(`${path}: ${message}`);
}

export const verbs = [list, move, verify, gc] as readonly Verb[];
