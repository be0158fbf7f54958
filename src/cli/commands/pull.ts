/** `catalogue pull`: takes what a catalogue elsewhere has changed. */
import { Option } from 'commander';
import type { Side } from '../../sync/files.ts';
import type { Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { dryRun } from '../options.ts';
import { counted } from '../output/quantities.ts';
import { withPair } from '../sync/pair.ts';
import { amountOf, exitCodeOf, objectOf, runSync, showChanges, showConflicts, showFailures } from '../sync/run.ts';

interface PullOptions {
  readonly ours?: boolean;
  readonly theirs?: boolean;
  readonly dryRun?: boolean;
}

export const command: Verb<PullOptions> = {
  usage: 'pull [names...]',
  description: 'Take what a catalogue elsewhere has changed since the last time.',
  notes:
    'The other catalogue is the one that this was cloned from, or the one named by --remote. What was changed on both ' +
    'sides is shown field by field and left alone: decide with --ours or --theirs, for all or for those named, or edit ' +
    'the record here so that it says both and then keep yours. What is yours is sent by: catalogue push',
  examples: ['catalogue pull', 'catalogue pull --dry-run', 'catalogue pull parks/trees --theirs'],
  on: 'both',
  options: () => [
    new Option('--ours', 'Where both sides have changed a record, keep what is here; the next push sends it.'),
    new Option('--theirs', 'Where both sides have changed a record, take what is there in place of what is here.'),
    dryRun(),
  ],
  async run(call, names, { ours, theirs, dryRun: rehearse }) {
    if (ours && theirs) throw new UsageError('Give --ours or --theirs, and not both.');
    const choice: Side | undefined = ours ? 'ours' : theirs ? 'theirs' : undefined;
    return withPair(call, 'pull', async (pair, other) => {
      const { show } = call;
      const options = { names: names.filter((name) => name !== undefined), choice, rehearse };
      const result = await runSync(call, 'Pulling', pair, 'pull', options);
      const { plan, done, told, kept, changes, failures, skipped } = result;
      if (show.asJson) show.json(await objectOf('incoming', result, other.url));
      else {
        showChanges(call, 'incoming', changes);
        showConflicts(call, told);
      }
      await showFailures(call, plan.held, failures);
      if (skipped.length) show.message(`${counted(skipped.length, 'record')} had to wait for those.`);
      if (told.length) {
        const which = told.length === 1 && told[0] ? ` ${told[0].name}` : '';
        show.message(
          `${counted(told.length, 'conflict')}: changed here and there. Keep yours: catalogue pull --ours${which}\n` +
            `Take theirs: catalogue pull --theirs${which}\n` +
            'Or edit it here so that it says both, and then keep yours.',
        );
      }
      if (done.length) show.message(`Pulled ${amountOf(result)} from ${other.name}.`);
      if (kept) show.message(`Kept ${counted(kept, 'record')} as they are here. To send them: catalogue push`);
      const outgoing = plan.outgoing.length;
      if (!rehearse && !done.length && !kept && exitCodeOf(result) === 0 && !plan.held.length)
        show.message(
          outgoing
            ? `Nothing to pull. ${counted(outgoing, 'change')} of yours can be sent: catalogue push`
            : 'Already in step.',
        );
      return exitCodeOf(result);
    });
  },
};
