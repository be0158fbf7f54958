/** The commits that touched a record: the latest on its page, all of them on a page of their own. */
import type { VNode } from 'preact';
import { shorten } from '../catalogue/beginning.ts';
import type { Page } from '../catalogue/catalogue.ts';
import type { Commit } from '../catalogue/types.ts';
import { Pager } from './dataset-list.tsx';
import { type Crumb, renderPage } from './layout.tsx';
import type { PageContext } from './page-context.ts';

/** Commits as lines: date, subject, author if the viewer may see people. */
export function CommitList({
  context,
  commits,
}: {
  readonly context: PageContext;
  readonly commits: readonly Commit[];
}): VNode {
  const { locale } = context;
  return (
    <ol class="log">
      {commits.map(({ id, author, datetime, message }) => (
        <li key={id}>
          <time dateTime={datetime}>{locale.date(datetime)}</time>
          <span dir="auto">{subjectOf(message)}</span>
          <span class="faint">
            {author && <>{locale.fill('commitBy', { author: <span dir="auto">{author}</span> })} </>}
            <code>{id.slice(0, 8)}</code>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Longest subject that is shown. */
const longest = 200;

const subjectOf = (message: string): string => {
  const [subject = ''] = message.split('\n');
  return shorten(subject, longest);
};

export interface HistoryPageParts {
  readonly label: string;
  readonly crumbs: readonly Crumb[];
  readonly page: Page<Commit>;
}

export function renderHistoryPage(context: PageContext, { label, crumbs, page }: HistoryPageParts): string {
  const { locale } = context;
  const title = locale.text('historyOf', { label });
  return renderPage(context, {
    title,
    isHidden: true,
    crumbs,
    children: (
      <>
        <div class="titles">
          <h1 dir="auto">{title}</h1>
        </div>
        {page.items.length === 0 ? (
          <div class="empty">
            <h2>{locale.text('noHistory')}</h2>
            <p>{locale.text('noHistoryWhy')}</p>
          </div>
        ) : (
          <CommitList context={context} commits={page.items} />
        )}
        <Pager context={context} page={page} />
      </>
    ),
  });
}
