/** The columns of a difference: in which of them values changed, what became of the others, and hints. */
import type { ComponentChildren, VNode } from 'preact';
import { shorten } from '../catalogue/beginning.ts';
import type { Difference, DifferenceSummary } from '../catalogue/difference.ts';
import { quotedName } from '../catalogue/row-parameters.ts';
import { hrefWith, type PageContext } from './page-context.ts';
import { Part } from './part.tsx';
import { ShareBar } from './share-bar.tsx';

interface Props {
  readonly context: PageContext;
  readonly difference: Pick<Difference, 'columns' | 'key' | 'counts' | 'renames'>;
  readonly summary: DifferenceSummary;
  /** Column in which all changed rows that are shown differ; null if they aren't filtered. */
  readonly column: string | null;
}

/** Columns that are listed with their counts, at most. */
const maxColumns = 60;

/** The columns with changed values, each a filter, and the columns that one version has alone. */
export function DifferenceColumns({ context, difference, summary, column }: Props): VNode | null {
  const { locale } = context;
  const { columns, counts, renames = [] } = difference;
  const renamed = new Set(renames.flatMap(({ from, to }) => [`-${from}`, `+${to}`]));
  const changes: readonly (readonly [kind: string, sign: string, text: string])[] = [
    ...[...(columns.renamed ?? []), ...renames].map(
      (one) => ['chg', '~', locale.text('columnRenamed', { ...one })] as const,
    ),
    ...columns.added
      .filter(({ name }) => !renamed.has(`+${name}`))
      .map(({ name }) => ['add', '+', locale.text('columnNew', { name })] as const),
    ...columns.dropped
      .filter(({ name }) => !renamed.has(`-${name}`))
      .map(({ name }) => ['del', '−', locale.text('columnGone', { name })] as const),
    ...columns.retyped.map((one) => ['chg', '~', locale.text('columnRetyped', { ...one })] as const),
  ];
  if (summary.columns.length + changes.length === 0) return null;
  const more = Math.max(0, changes.length - maxColumns) + Math.max(0, summary.columns.length - maxColumns);
  const most = Math.max(1, ...summary.columns.map(({ positions }) => positions.length));
  return (
    <Part
      id="columns"
      title={locale.text('columns')}
      note={summary.columns.length ? locale.text('inWhichColumns', { count: summary.columns.length }) : ''}
    >
      {changes.length > 0 && (
        <ul class="colchanges">
          {changes.slice(0, maxColumns).map(([kind, sign, text]) => (
            <li key={text} class={kind} dir="auto">
              {sign} {text}
            </li>
          ))}
        </ul>
      )}
      {summary.columns.length > 0 && (
        <div class="bycol">
          {summary.columns.slice(0, maxColumns).map(({ name, positions }) => (
            <a
              key={name}
              href={`${hrefWith(context, { _column: name === column ? null : name, _changed: null })}#changed`}
              aria-current={name === column ? 'true' : undefined}
              rel="nofollow"
            >
              <span dir="auto">{name}</span>
              <ShareBar width={64} height={6} parts={[['chg', positions.length / most]]} />
              <span class="num">{locale.number(positions.length)}</span>
            </a>
          ))}
        </div>
      )}
      {more > 0 && (
        <p class="s">
          {locale.text('moreColumns', { count: more })}:{' '}
          <a href={hrefWith(context, { _format: 'json', format: null })} rel="nofollow">
            JSON
          </a>
        </p>
      )}
      {summary.counted < counts.changed && (
        <p class="s soft">{locale.text('countedFirst', { count: summary.counted })}</p>
      )}
      {column !== null && (
        <p class="chips">
          <a href={`${hrefWith(context, { _column: null, _changed: null })}#changed`} rel="nofollow">
            <span class="vh">{locale.text('removeFilter')}</span>
            <span dir="auto">{locale.text('onlyChangedIn', { name: column })}</span>
          </a>
        </p>
      )}
    </Part>
  );
}

/** Hints: what differs in name or case only, and rows that may be the same under another key. */
export function DifferenceHints({ context, difference, summary }: Props): VNode | null {
  const { locale } = context;
  const hints: ComponentChildren[] = [
    ...(difference.renames ?? []).map(({ from, to }) =>
      locale.fill('hintRename', { from: <b dir="auto">{from}</b>, to: <b dir="auto">{to}</b> }),
    ),
    ...summary.columns.flatMap(({ name, caseOnly }) =>
      caseOnly > 0 ? [locale.fill('hintCase', { count: caseOnly, name: <b dir="auto">{name}</b> })] : [],
    ),
  ];
  const { otherKey } = summary;
  if (otherKey) {
    const { column, rows, examples, isKey } = otherKey;
    const pairs = examples.map((pair) => pair.map(excerptOf).join(' → ')).join(', ');
    hints.push([
      ...locale.fill('hintOtherKey', { count: rows, column, examples: <span dir="auto">{pairs}</span> }),
      isKey && (
        <>
          {' '}
          <a href={hrefWith(context, { ...firstRows, _key: quotedName(column) })} rel="nofollow">
            {locale.text('compareBy', { name: column })}
          </a>
        </>
      ),
    ]);
  }
  return hints.length === 0 ? null : (
    <div class="note">
      <ul>
        {hints.slice(0, 8).map((hint, i) => (
          <li key={i}>{hint}</li>
        ))}
      </ul>
    </div>
  );
}

/** Parameters of a filter and of positions, which another key makes meaningless. */
const firstRows = { _column: null, _changed: null, _added: null, _removed: null };

const excerptOf = (text: string) => shorten(text, 60);
