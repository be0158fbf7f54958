/** `catalogue diff`: differences of two versions, of commits, or between local and remote. */
import { relative, resolve } from 'node:path';
import { Option } from 'commander';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { MovedError, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { parseVersionRef } from '../../catalogue/parse-ref.ts';
import { datasetRefOf, type VersionRef } from '../../catalogue/ref.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { runInterruptible } from '../interruption.ts';
import { assertOneFormat, wholeNumberParser } from '../options.ts';
import { catalogueChangeLines, changesSummary } from '../output/catalogue-changes.ts';
import { showPercentProgress } from '../output/progress.ts';
import { terminalColours } from '../output/terminal.ts';
import { showSyncConflicts } from '../sync/conflicts.ts';
import { withSyncPair } from '../sync/pair.ts';
import { blockedJson, showSyncChanges, showSyncFailures } from '../sync/run.ts';
import { firstRows, type RowsOptions, showRowDifference } from './diff-rows.ts';

interface BranchOptions {
  readonly format?: 'text' | 'markdown' | 'json' | undefined;
  readonly rows?: boolean | undefined;
}

export const command: Verb<RowsOptions & BranchOptions> = {
  usage: 'diff [what] [other]',
  description: 'Compare two versions, commits of git, or local and remote.',
  notes:
    'For versions, the counts come first: columns added, dropped and retyped; rows added, removed and changed. One ' +
    'version is compared with the one before it; a dataset means its newest version. The other version may be written ' +
    '@<version> if it is of the same dataset.\n\n' +
    'For a commit (a branch, a tag): the changes of the working tree since then, with datasets added, removed and renamed, ' +
    'fields, columns, versions and rows. Two commits are written <commit>..<commit>; with three dots, the second is ' +
    'compared with the commit where the two branches parted. If a dataset and a branch have the same name, the dataset ' +
    'is meant; for the branch, write refs/heads/<branch>.\n\n' +
    'Without arguments: the changes to pull from the remote and to push to it.',
  examples: [
    'catalogue diff parks/trees',
    'catalogue diff parks/trees@20190101000000000000 @latest',
    'catalogue diff parks/trees --key name --json',
    'catalogue diff origin/main',
    'catalogue diff main...feature --format markdown',
  ],
  options: () => [
    new Option(
      '--key <columns>',
      'Columns that identify a row, comma-separated. By default they are found in the data.',
    ),
    new Option('--limit <number>', `Maximum number of rows. Default at a terminal: ${firstRows}.`).argParser(
      wholeNumberParser(0, Number.MAX_SAFE_INTEGER),
    ),
    new Option('--format <text|markdown|json>', 'Output format for the changes since a commit.').choices([
      'text',
      'markdown',
      'json',
    ]),
    new Option('--no-rows', "Don't compare rows; for commits only."),
  ],
  // Without arguments, the folder is compared with its remote.
  on: ([what]) => (what === undefined ? 'both' : undefined),
  async run(call, [what, other], { key, limit, format, rows }) {
    assertOneFormat(call.show, format);
    if (what === undefined) {
      const odd = ['--key', '--limit', '--no-rows'].find(
        (_, i) => [key, limit, rows === false || undefined][i] !== undefined,
      );
      if (odd) throw new UsageError(`${odd} is for the rows of a dataset or the changes since a commit: name one.`);
      if (format === 'markdown') throw new UsageError(forCommits);
      return diffRemote(format === 'json' ? { ...call, show: { ...call.show, asJson: true } } : call);
    }
    if (other === undefined && (await isBranch(call, what))) {
      const odd = key === undefined ? (limit === undefined ? undefined : '--limit') : '--key';
      if (odd) throw new UsageError(`${odd} is for the rows of a dataset, and ${what} is a commit.`);
      return diffBranch(call, what, { format, rows });
    }
    if (format === 'markdown') throw new UsageError(forCommits);
    if (rows === false) throw new UsageError('--no-rows is for commits, as in: catalogue diff main --no-rows');
    const show = format === 'json' ? { ...call.show, asJson: true } : call.show;
    return showRowDifference({ ...call, show }, what, other, { key, limit });
  },
};

const forCommits = '--format markdown is for commits, as in: catalogue diff main';

/** True if a commit is meant: the text isn't the name of a dataset, and can't be one or is known to git. */
async function isBranch(call: Call, what: string): Promise<boolean> {
  if (call.isRemote) return false;
  const version = asVersion(what);
  if (!version) return true;
  return !(await datasetExists(call, version)) && (await isKnownToGit(call, what));
}

/** True if git knows a commit by this name; outside of a repository it knows none. */
async function isKnownToGit(call: Call, name: string): Promise<boolean> {
  const { commitExists } = await import('../../files/folder.ts');
  return commitExists(resolve(call.context.cwd, call.folder()), name);
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
    await (await call.open()).get<'dataset'>(datasetRefOf(version));
    return true;
  } catch (error) {
    if (error instanceof MovedError) return true;
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

/**
 * Compares the local catalogue with its remote, and changes nothing.
 * @returns the exit code
 * @throws UsageError where no remote is known
 */
function diffRemote(call: Call): Promise<number> {
  return withSyncPair(call, 'diff', { isReadOnly: true }, async (pair, remote) => {
    const { context, global, show } = call;
    const [{ compareReplicas }, { summarizeEachChange, summarizeEachConflict }] = await Promise.all([
      import('../../sync/compare.ts'),
      import('../../sync/summary.ts'),
    ]);
    const comparison = await compareReplicas(pair);
    try {
      const { texts } = comparison;
      const plan = await comparison.plan();
      const incoming = await summarizeEachChange(plan.incoming, pair, texts.theirs);
      const outgoing = await summarizeEachChange(plan.outgoing, pair, texts.ours);
      const conflicts = await summarizeEachConflict(plan.conflicts, pair, comparison);
      if (show.asJson)
        show.json({ remote: remote.url, incoming, outgoing, conflicts, held: blockedJson(plan.blocked) });
      else {
        const paint = terminalColours(context, global.color);
        const headed = (title: string, count: number, rest: () => void) => {
          if (count && show.forPeople) context.out(`${paint('bold', title)}\n`);
          rest();
        };
        headed(`To pull from ${remote.name}:`, incoming.length, () => showSyncChanges(call, 'incoming', incoming));
        headed(`To push to ${remote.name}:`, outgoing.length, () => showSyncChanges(call, 'outgoing', outgoing));
        headed('Changed on both sides:', conflicts.length, () => showSyncConflicts(call, conflicts));
      }
      showSyncFailures(call, plan.blocked, []);
      if (incoming.length + outgoing.length + conflicts.length + plan.blocked.length === 0)
        show.message('Already up to date.');
      return 0;
    } finally {
      await comparison.close();
    }
  });
}

/** Shows the changes since a commit, or between two. @returns the exit code */
async function diffBranch(call: Call, what: string, { format, rows }: BranchOptions): Promise<number> {
  const { context, show } = call;
  const { gitChangesSince } = await import('../../files/folder.ts');
  const folder = call.folder();
  const root = resolve(context.cwd, folder);
  const { at, end } = showPercentProgress(context, 'Comparing');
  const { from, to, things, unreadable } = await runInterruptible(context, 'Nothing was changed.', (signal) =>
    gitChangesSince(root, what, { rows, signal, onProgress: at }),
  )
    .catch((error) => {
      if (!(error instanceof NotFoundError) || /[/.@]/.test(what)) throw error;
      throw new NotFoundError(`${error.message}\nIf you mean a dataset, write <namespace>/<dataset>.`);
    })
    .finally(end);
  const place = ({ path, excerpt: _, ...rest }: Diagnostic) => ({
    ...rest,
    path: relative(context.cwd, resolve(root, path)).replaceAll('\\', '/'),
  });
  const broken = unreadable.map(place);
  const chosen = format ?? (show.asJson ? 'json' : 'text');
  if (chosen === 'json') show.json({ from, to, things, unreadable: broken });
  else if (chosen === 'markdown') {
    const { changesMarkdown } = await import('../output/change-markdown.ts');
    context.out(changesMarkdown({ from: from.name, to: to?.name ?? null }, things, broken));
  } else {
    for (const line of catalogueChangeLines(things, show.forPeople)) show.line(line);
    const sides = `${from.name} (${from.commit.slice(0, 7)}) → ${to ? `${to.name} (${to.commit.slice(0, 7)})` : 'the working tree'}`;
    show.message(`${sides}: ${changesSummary(things)}.`);
    for (const { path, line, message } of broken)
      show.message(`Not compared, since it is broken on one side: ${path}:${line}: ${message}`);
  }
  return 0;
}
