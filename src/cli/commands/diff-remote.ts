/** `catalogue diff` alone: what the catalogue in the folder and its remote have to hand each other. */
import type { Call } from '../command.ts';
import { colours } from '../output/show.ts';
import { withPair } from '../sync/pair.ts';
import { showChanges, showConflicts, showFailures } from '../sync/run.ts';

/**
 * Compares the catalogue in the folder with its remote, and changes nothing.
 * @returns the exit code
 * @throws UsageError where no remote is known
 */
export function diffRemote(call: Call): Promise<number> {
  return withPair(call, 'diff', async (pair, other) => {
    const { context, global, show } = call;
    const [{ compare }, { changesOf, conflictsOf }] = await Promise.all([
      import('../../sync/compare.ts'),
      import('../../sync/changes.ts'),
    ]);
    const comparison = await compare(pair);
    try {
      const { texts } = comparison;
      const plan = await comparison.plan();
      const incoming = await changesOf(plan.incoming, pair, texts.theirs);
      const outgoing = await changesOf(plan.outgoing, pair, texts.ours);
      const conflicts = await conflictsOf(plan.conflicts, pair, comparison);
      if (show.asJson) show.json({ remote: other.url, incoming, outgoing, conflicts, held: plan.held });
      else {
        const paint = colours(context, global.color);
        const headed = (title: string, count: number, rest: () => void) => {
          if (count && show.forPeople) context.out(`${paint('bold', title)}\n`);
          rest();
        };
        headed(`To pull from ${other.name}:`, incoming.length, () => showChanges(call, 'incoming', incoming));
        headed(`To push to ${other.name}:`, outgoing.length, () => showChanges(call, 'outgoing', outgoing));
        headed('Changed here and there:', conflicts.length, () => showConflicts(call, conflicts));
      }
      await showFailures(call, plan.held, []);
      if (incoming.length + outgoing.length + conflicts.length + plan.held.length === 0)
        show.message('Already in step.');
      return 0;
    } finally {
      await comparison.close();
    }
  });
}
