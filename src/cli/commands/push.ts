/** `catalogue push`: gives a catalogue elsewhere what was changed here. */
import type { Verb } from '../command.ts';
import { dryRun } from '../options.ts';
import { counted } from '../output/quantities.ts';
import { withPair } from '../sync/pair.ts';
import { amountOf, exitCodeOf, objectOf, runSync, showChanges, showConflicts, showFailures } from '../sync/run.ts';

export const command: Verb<{ dryRun?: boolean }> = {
  usage: 'push [names...]',
  description: 'Send what was changed here to a catalogue elsewhere.',
  notes:
    'The other catalogue is the one that this was cloned from, or the one named by --remote. What was changed there, too, ' +
    'is held back and the rest is sent: see to it with "catalogue pull", and push again. A catalogue that was filled by ' +
    'hand may be pushed as a whole.',
  examples: ['catalogue push', 'catalogue push --dry-run', 'catalogue push parks/trees'],
  on: 'both',
  options: () => [dryRun()],
  async run(call, names, { dryRun: rehearse }) {
    return withPair(call, 'push', async (pair, other) => {
      const { show } = call;
      const options = { names: names.filter((name) => name !== undefined), rehearse };
      const result = await runSync(call, 'Pushing', pair, 'push', options);
      const { plan, done, told, changes, failures, skipped } = result;
      if (show.asJson) show.json(await objectOf('outgoing', result, other.url));
      else {
        showChanges(call, 'outgoing', changes);
        showConflicts(call, told);
      }
      await showFailures(call, plan.held, failures);
      if (skipped.length) show.message(`${counted(skipped.length, 'record')} had to wait for those.`);
      if (told.length)
        show.message(`${counted(told.length, 'record')} held back: changed there, too. Pull first: catalogue pull`);
      if (done.length) show.message(`Pushed ${amountOf(result)} to ${other.name}.`);
      const incoming = plan.incoming.length;
      if (!rehearse && !done.length && exitCodeOf(result) === 0 && !plan.held.length)
        show.message(
          incoming
            ? `Nothing to push. ${counted(incoming, 'change')} of theirs can be had: catalogue pull`
            : 'Already in step.',
        );
      return exitCodeOf(result);
    });
  },
};
