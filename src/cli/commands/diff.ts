/** `catalogue diff`: how the rows of two versions differ, what a branch changes, or what differs from a remote. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { MovedError, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { datasetOf, parseVersionRef, type VersionRef } from '../../catalogue/ref.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { wholeNumber } from '../options.ts';
import { colours } from '../output/show.ts';
import { withPair } from '../sync/pair.ts';
import { showChanges, showConflicts, showFailures } from '../sync/run.ts';
import { type BranchOptions, diffBranch } from './diff-branch.ts';
import { diffRows, firstRows, type RowsOptions } from './diff-rows.ts';

export const command: Verb<RowsOptions & BranchOptions> = {
  usage: 'diff [what] [other]',
  description: 'Say what differs: two versions, a branch of git, or this and a remote.',
  notes:
    'Of a version, the counts come first: columns added, dropped and retyped; rows added, removed and changed. With ' +
    'one version, it is compared with the one before it; with a dataset alone, that is the newest. The other version ' +
    'may be written @<version>, where it is one of the same dataset.\n\n' +
    'Of a commit (a branch, a tag), what the working tree changes since: datasets added, removed, renamed; fields, ' +
    'columns, versions and rows. Two commits are written <commit>..<commit>; with three dots, the second is compared ' +
    'with the one where both parted. A dataset called as a branch is wins: write refs/heads/<branch> then.\n\n' +
    'Alone, what this catalogue and the one elsewhere that it is kept in step with have to pull and to push.',
  examples: [
    'catalogue diff parks/trees',
    'catalogue diff parks/trees@20190101000000000000 @latest',
    'catalogue diff parks/trees --key name --json',
    'catalogue diff origin/main',
    'catalogue diff main...feature --format markdown',
  ],
  options: () => [
    new Option('--key <columns>', 'Columns that tell rows apart, comma-separated; found where they are not given.'),
    new Option('--limit <number>', `Show at most so many rows. At a terminal: ${firstRows}.`).argParser(
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    ),
    new Option('--format <text|markdown|json>', 'How to say what a branch changes.').choices([
      'text',
      'markdown',
      'json',
    ]),
    new Option('--no-rows', "Don't compare the rows of what a branch changes."),
  ],
  async run(call, [what, other], { key, limit, format, rows }) {
    if (what === undefined) return diffRemote(call);
    if (other === undefined && (await isBranch(call, what))) {
      const odd = key === undefined ? (limit === undefined ? undefined : '--limit') : '--key';
      if (odd) throw new UsageError(`${odd} is about the rows of a dataset, and ${what} is a commit.`);
      return diffBranch(call, what, { format, rows });
    }
    if (format === 'markdown') throw new UsageError('--format markdown is about a commit: catalogue diff main');
    const show = format === 'json' ? { ...call.show, asJson: true } : call.show;
    return diffRows({ ...call, show }, what, other, { key, limit });
  },
};

/** Whether a commit is meant: what is no dataset, unless it looks like one and git doesn't know it either. */
async function isBranch(call: Call, what: string): Promise<boolean> {
  if (call.isRemote) return false;
  const version = asVersion(what);
  if (!version) return true;
  return !(await datasetExists(call, version)) && (await isKnownToGit(call, what));
}

/** True if git knows a commit by this name; outside of a repository it knows none. */
async function isKnownToGit(call: Call, name: string): Promise<boolean> {
  const { isCommit } = await import('../../files/folder.ts');
  return isCommit(resolve(call.context.cwd, call.folder()), name);
}

function asVersion(what: string): VersionRef | null {
  try {
    return parseVersionRef(what);
  } catch (error) {
    if (error instanceof ValidationError) return null;
    throw error;
  }
}

async function datasetExists(call: Call, version: VersionRef): Promise<boolean> {
  try {
    await (await call.open()).get<'dataset'>(datasetOf(version));
    return true;
  } catch (error) {
    if (error instanceof MovedError) return true;
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

/**
 * Compares the catalogue in the folder with its remote, and changes nothing.
 * @returns the exit code
 * @throws UsageError where no remote is known
 */
function diffRemote(call: Call): Promise<number> {
  return withPair(call, 'diff', async (pair, remote) => {
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
      if (show.asJson) show.json({ remote: remote.url, incoming, outgoing, conflicts, held: plan.held });
      else {
        const paint = colours(context, global.color);
        const headed = (title: string, count: number, rest: () => void) => {
          if (count && show.forPeople) context.out(`${paint('bold', title)}\n`);
          rest();
        };
        headed(`To pull from ${remote.name}:`, incoming.length, () => showChanges(call, 'incoming', incoming));
        headed(`To push to ${remote.name}:`, outgoing.length, () => showChanges(call, 'outgoing', outgoing));
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
