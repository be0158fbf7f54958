/** Notes about the page of a dataset as a whole: private, an older version, no data. */
import type { VNode } from 'preact';
import type { Excerpt, FileProblems } from '../catalogue/diagnostic.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import { CodeBlock } from './code-block.tsx';
import type { LeadProps } from './dataset-lead.tsx';
import { dateOfVersion } from './figures.ts';
import { hrefOfRef } from './page-context.ts';

/** What a page tells of a dataset's records and files. */
export interface DatasetState {
  /** Why the data of the version that isn't ready can't be shown; '' if no more is known. */
  readonly whyNotReady: string;
  /** True if not everybody sees it: it or its namespace is private. */
  readonly isPrivate: boolean;
  /** Groups and users who see it besides staff; empty if everybody does. */
  readonly audience: readonly string[];
  /** Files with problems, for those who may write them. */
  readonly problems: readonly FileProblems[];
  /** True if the viewer may edit it. */
  readonly mayEdit: boolean;
}

export function DatasetNotes({
  context,
  dataset,
  version,
  isVersionPage,
  state,
}: LeadProps & { readonly state: DatasetState }): VNode {
  const { locale } = context;
  const newest = dataset.versions[0];
  const ready = latestReadyVersion(dataset);
  /** Number of versions that are newer. */
  const place = ({ slug }: Version) => dataset.versions.findIndex((one) => one.slug === slug);
  const link = (to: Version) => (
    <a href={to === ready ? hrefOfRef(context, refOf(dataset)) : hrefOfRef(context, refOf(to))}>
      {dateOfVersion(locale, to, dataset.versions, 'long')}
    </a>
  );
  return (
    <>
      <ProblemFiles context={context} files={state.problems} />
      {state.isPrivate && (
        <div class="note warn">
          <h2>{locale.text('onlySeenBy')}</h2>
          <p>
            {state.audience.length > 0
              ? locale.fill('seenByThese', { names: <span dir="auto">{locale.list(state.audience)}</span> })
              : locale.text('seenByStaff')}{' '}
            {locale.text('onlySeenByWhy')}
          </p>
        </div>
      )}
      {isVersionPage && version && !version.ready && (
        <div class="note warn">
          <h2>{locale.text(version.draft ? 'versionIsDraft' : 'versionNotReady')}</h2>
          <p dir="auto">
            {state.whyNotReady || locale.text(version.draft ? 'versionIsDraftWhy' : 'versionNotReadyWhy')}
          </p>
        </div>
      )}
      {isVersionPage && version && ready && place(version) > place(ready) && (
        <div class="note">
          <h2>{locale.text('notTheNewest')}</h2>
          <p>{locale.fill('newestIs', { date: link(ready) })}</p>
        </div>
      )}
      {!isVersionPage && newest && ready && newest !== ready && (
        <div class="note warn">
          <h2>{locale.text(newest.draft ? 'newestIsDraft' : 'newestNotReady')}</h2>
          {state.whyNotReady && <p dir="auto">{state.whyNotReady}</p>}
          <p>
            {locale.fill(newest.draft ? 'newestIsDraftShown' : 'newestNotReadyShown', {
              newest: link(newest),
              shown: link(ready),
            })}
          </p>
        </div>
      )}
      {!newest && Object.keys(dataset.links).length > 0 && (
        <div class="note">
          <h2>{locale.text('noFileHere')}</h2>
          <p>{locale.text('linksLeadThere')}</p>
        </div>
      )}
      {!newest && Object.keys(dataset.links).length === 0 && (
        <div class="note">
          <h2>{locale.text('noVersionsYet')}</h2>
          <p>{locale.text('publishWith')}</p>
          <CodeBlock
            context={context}
            label="Shell"
            code={`catalogue publish data.csv --to ${formatRef(refOf(dataset))}`}
          />
        </div>
      )}
      {newest && !ready && !isVersionPage && (
        <div class="note warn">
          <h2>{locale.text('noVersionReady')}</h2>
          <p dir="auto">
            {state.whyNotReady || locale.text(newest.draft ? 'versionIsDraftWhy' : 'versionNotReadyWhy')}
          </p>
        </div>
      )}
    </>
  );
}

/** Files with problems, by line and column. */
export function ProblemFiles({
  context,
  files,
}: Pick<LeadProps, 'context'> & { readonly files: readonly FileProblems[] }): VNode | null {
  const { locale } = context;
  if (files.length === 0) return null;
  return (
    <div class="note bad">
      <h2>{locale.text('filesHaveProblems')}</h2>
      <p>{locale.text('filesHaveProblemsWhy')}</p>
      <ul>
        {files.flatMap(({ path, problems }) =>
          problems.map(({ line, column, message, excerpt }, i) => (
            <li key={`${path}${i}`}>
              <code>
                {path}
                {line !== null && `:${line}${column === null ? '' : `:${column}`}`}
              </code>{' '}
              <span dir="auto">{message}</span>
              {excerpt && <FaultyLine line={line} excerpt={excerpt} label={locale.text('lineOfFile', { line })} />}
            </li>
          )),
        )}
      </ul>
    </div>
  );
}

/** The line that has a problem, its place marked, and a caret below that. */
function FaultyLine({
  line,
  excerpt: { text, at },
  label,
}: {
  readonly line: number;
  readonly excerpt: Excerpt;
  readonly label: string;
}): VNode {
  const [character = ''] = text.slice(at);
  return (
    <pre class="faulty" tabIndex={0} role="region" aria-label={label} dir="ltr">
      <span class="soft">{line} │ </span>
      {text.slice(0, at)}
      {character && <mark>{character}</mark>}
      {text.slice(at + character.length)}
      <span class="soft" aria-hidden="true">
        {`\n${' '.repeat(`${line}`.length)} │ `}
      </span>
      <span class="caret" aria-hidden="true">{`${' '.repeat(at)}^`}</span>
    </pre>
  );
}
