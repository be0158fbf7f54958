/** `catalogue diff <commit>`: the changes since a commit, or between two. */
import { relative, resolve } from 'node:path';
import { NotFoundError } from '../../catalogue/errors.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import type { Call } from '../command.ts';
import { interruptible } from '../interruption.ts';
import { catalogueChangeLines, summaryOf } from '../output/catalogue-changes.ts';
import { progress } from '../output/progress.ts';

export interface BranchOptions {
  readonly format?: 'text' | 'markdown' | 'json' | undefined;
  readonly rows?: boolean | undefined;
}

/** Shows the changes since a commit, or between two. @returns the exit code */
export async function diffBranch(call: Call, what: string, { format, rows }: BranchOptions): Promise<number> {
  const { context, show } = call;
  const { changesSince } = await import('../../files/folder.ts');
  const folder = call.folder();
  const root = resolve(context.cwd, folder);
  const { at, end } = progress(context, 'Comparing');
  const { from, to, things, unread } = await interruptible(context, 'Nothing was changed.', (signal) =>
    changesSince(root, what, { rows, signal, onProgress: at }),
  )
    .catch((error) => {
      if (!(error instanceof NotFoundError) || /[/.@]/.test(what)) throw error;
      throw new NotFoundError(`${error.message}\nIf you mean a dataset, write <namespace>/<dataset>.`);
    })
    .finally(end);
  const place = ({ path, ...rest }: Diagnostic) => ({
    ...rest,
    path: relative(context.cwd, resolve(root, path)).replaceAll('\\', '/'),
  });
  const broken = unread.map(place);
  const chosen = format ?? (show.asJson ? 'json' : 'text');
  if (chosen === 'json') show.json({ from, to, things, unread: broken });
  else if (chosen === 'markdown') {
    const { changesMarkdown } = await import('../output/change-markdown.ts');
    context.out(changesMarkdown({ from: from.name, to: to?.name ?? null }, things, broken));
  } else {
    for (const line of catalogueChangeLines(things, show.forPeople)) show.line(line);
    const sides = `${from.name} (${from.commit.slice(0, 7)}) → ${to ? `${to.name} (${to.commit.slice(0, 7)})` : 'the working tree'}`;
    show.message(`${sides}: ${summaryOf(things)}.`);
    for (const { path, line, message } of broken)
      show.message(`Not compared, since it is broken on one side: ${path}:${line}: ${message}`);
  }
  return 0;
}
