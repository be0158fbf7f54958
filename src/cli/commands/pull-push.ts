/** `catalogue pull` and `catalogue push`: the changes of a remote catalogue, fetched; local ones, sent. */
import { Option } from 'commander';
import { describeFilePath, kindAndRefOfPath } from '../../catalogue/layout.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { Side } from '../../sync/files.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { dryRunOption } from '../options.ts';
import { countText } from '../output/quantities.ts';
import { joinConflicts, keptText, showSyncConflicts } from '../sync/conflicts.ts';
import { withSyncPair } from '../sync/pair.ts';
import {
  countRecords,
  type RunResult,
  runSync,
  showSyncChanges,
  showSyncFailures,
  syncExitCode,
  syncResultJson,
  transferredAmountText,
} from '../sync/run.ts';
import { typedCommand } from '../typed-command.ts';

interface PullOptions {
  readonly ours?: boolean;
  readonly theirs?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export const pull: Verb<PullOptions> = {
  usage: 'pull [names...]',
  description: 'Fetch the changes of a remote catalogue since the last time.',
  notes:
    'The remote is the one that this catalogue was cloned from, or the one named by --remote. Records that were changed on ' +
    'both sides are shown field by field and stay as they are. Decide with --ours or --theirs, for all of them or for ' +
    'those named; or edit the local record so that it has both changes, and keep yours. To send local changes: catalogue push',
  examples: ['catalogue pull', 'catalogue pull --dry-run', 'catalogue pull parks/trees --theirs'],
  on: 'both',
  options: () => [
    new Option('--ours', 'If both sides have changed a record, keep the local one; the next push sends it.'),
    new Option('--theirs', 'If both sides have changed a record, replace the local one with the remote one.'),
    new Option(
      '--force',
      'If the remote has nothing left of what both sides had in common, or was set back to an earlier state, do the same locally.',
    ),
    dryRunOption(),
  ],
  async run(call, names, { ours, theirs, force, dryRun }) {
    if (ours && theirs) throw new UsageError('Give --ours or --theirs, and not both.');
    const choice: Side | undefined = ours ? 'ours' : theirs ? 'theirs' : undefined;
    return syncWithRemote(call, 'pull', { names: namesOf(names), choice, force, dryRun });
  },
};

export const push: Verb<{ force?: boolean; dryRun?: boolean }> = {
  usage: 'push [names...]',
  description: 'Send local changes to a remote catalogue.',
  notes:
    'The remote is the one that this catalogue was cloned from, or the one named by --remote. Records that were changed on ' +
    'both sides are not sent: pull first, then push again. A catalogue that was never cloned is pushed as a whole.',
  examples: ['catalogue push', 'catalogue push --dry-run', 'catalogue push parks/trees'],
  on: 'both',
  options: () => [
    new Option(
      '--force',
      'If the remote has nothing left of what both sides had in common, or was set back to an earlier state, send what it lacks. ' +
        'If the local folder has nothing left, remove it from the remote.',
    ),
    dryRunOption(),
  ],
  run: (call, names, { force, dryRun }) => syncWithRemote(call, 'push', { names: namesOf(names), force, dryRun }),
};

const namesOf = (args: readonly (string | undefined)[]) => args.filter((name) => name !== undefined);

const needThose = (records: number) => `${records === 1 ? 'it needs' : 'they need'} those first.`;

/** The words of each direction. */
const directions = {
  pull: {
    changes: 'incoming',
    doing: 'Pulling',
    skipped: (records: number) => `${countText(records, 'record')} not fetched: ${needThose(records)}`,
    done: (amount: string, remote: string) => `Pulled ${amount} from ${remote}.`,
    nothing: (changes: number) => `Nothing to pull. ${countText(changes, 'local change')} to push:`,
    opposite: 'push',
  },
  push: {
    changes: 'outgoing',
    doing: 'Pushing',
    skipped: (records: number) => `${countText(records, 'record')} not sent: ${needThose(records)}`,
    done: (amount: string, remote: string) => `Pushed ${amount} to ${remote}.`,
    nothing: (changes: number) => `Nothing to push. ${countText(changes, 'remote change')} to pull:`,
    opposite: 'pull',
  },
} as const;

/** Pulls or pushes, and shows the result. @returns the exit code */
function syncWithRemote(
  call: Call,
  direction: 'pull' | 'push',
  options: Parameters<typeof runSync>[4],
): Promise<number> {
  const words = directions[direction];
  const command: CommandText = (verb, names = options.names) => typedCommand(call, verb, names);
  const pairOptions = { isReadOnly: options.dryRun === true, names: options.names };
  return withSyncPair(call, direction, pairOptions, async (pair, remote, lost) => {
    const { show } = call;
    const result = await runSync(call, words.doing, pair, direction, { ...options, signal: lost });
    const { plan, done, conflicts, keptOurs, changes, failures, skipped } = result;
    if (show.asJson) show.json(syncResultJson(words.changes, result, remote.url));
    else {
      showSyncChanges(call, words.changes, changes);
      showSyncConflicts(call, conflicts);
    }
    showSyncFailures(call, plan.blocked, failures);
    if (direction === 'push') for (const line of aliasHints(call, failures)) show.message(line);
    for (const line of halfwayTexts(direction, result)) show.failure(`${line} ${command(direction)}`);
    const waiting = countRecords(skipped);
    if (waiting > 0) show.message(words.skipped(waiting));
    if (conflicts.length) show.message(conflictsText(direction, result, command));
    if (done.length) show.message(words.done(transferredAmountText(result), remote.name));
    if (keptOurs.length) show.message(`${keptText(keptOurs)} To send: ${command('push')}`);
    const others = direction === 'pull' ? plan.outgoing.length : plan.incoming.length;
    if (!options.dryRun && !done.length && !keptOurs.length && syncExitCode(result) === 0 && !plan.blocked.length)
      show.message(others ? `${words.nothing(others)} ${command(words.opposite)}` : 'Already up to date.');
    return syncExitCode(result);
  });
}

/** The records that are at names between two moves, of which the second one wasn't made: in an exchange of names, the first makes room. */
function halfwayTexts(direction: 'pull' | 'push', { plan, done }: RunResult): readonly string[] {
  const made = new Set(done);
  const undone = new Map<string, string>();
  for (const step of direction === 'pull' ? plan.incoming : plan.outgoing)
    if (step.do === 'move' && !made.has(step)) undone.set(step.path, step.to);
  const place = direction === 'pull' ? 'locally' : 'on the remote';
  return done.flatMap((step) => {
    const to = step.do === 'move' ? undone.get(step.to) : undefined;
    if (step.do !== 'move' || to === undefined) return [];
    const [from, now, name] = [step.path, step.to, to].map(describeFilePath);
    return [`${from} is ${now} ${place} now: ${name}, its new name, is still taken. To finish the exchange of names:`];
  });
}

/** What to type where the remote refuses aliases: no option sets them, and an editor opens without options. */
function aliasHints({ global }: Call, failures: RunResult['failures']): readonly string[] {
  const { remote: _, ...local } = global;
  return failures.flatMap(({ path, error }) => {
    const { ref } = kindAndRefOfPath(path);
    if (ref === null || !/ leave it out of the aliases\b/.test(error.message)) return [];
    return [
      `To remove the alias from ${formatRef(ref)} in an editor: ${typedCommand({ global: local }, `${ref.kind} edit`, [formatRef(ref)])}`,
    ];
  });
}

/** Writes a command for the catalogues of this run, and for the records that it was asked for unless others are given. */
type CommandText = (verb: string, names?: readonly string[]) => string;

function conflictsText(direction: 'pull' | 'push', result: RunResult, command: CommandText): string {
  const conflicts = joinConflicts(result.conflicts);
  if (direction === 'push')
    return `${countText(conflicts.length, 'record')} not sent: changed on both sides. Pull first: ${command('pull')}`;
  const names = conflicts.length === 1 ? conflicts.map(({ name }) => name) : undefined;
  return (
    `${countText(conflicts.length, 'conflict')}: changed on both sides. Keep yours: ${command('pull --ours', names)}\n` +
    `Take theirs: ${command('pull --theirs', names)}\n` +
    'Or edit the local record so that it has both changes, and then keep yours.'
  );
}
