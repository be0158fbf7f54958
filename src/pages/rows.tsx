/** The rows of a dataset, of a version or of a saved query: filtered, sorted, in parts. */
import type { VNode } from 'preact';
import { formatRef, refOf } from '../catalogue/ref.ts';
import { parametersFromRecord, quotedName, withExactNames } from '../catalogue/row-parameters.ts';
import type { Steps } from '../catalogue/steps.ts';
import type { Column } from '../catalogue/types.ts';
import { datasetCrumbs } from './dataset-crumbs.ts';
import type { Obstacle } from './dataset-list.tsx';
import { escapeHtml } from './html.ts';
import { type Crumb, renderPageInSteps } from './layout.tsx';
import type { Locale } from './locale.ts';
import { NoRows } from './no-rows.tsx';
import { hrefOf, hrefWith, type PageContext, queryStringOf } from './page-context.ts';
import { mostListedColumns, profilesByColumn } from './preview-columns.ts';
import { RowFilters } from './row-filters.tsx';
import { RowsAddress } from './rows-address.tsx';
import { noPart } from './rows-aside.tsx';
import { type RowsFacts, RowsForScript, TooLargeToFilter } from './rows-in-files.tsx';
import { RowsTable, type RowsTableProps } from './rows-table.tsx';
import { columnsThatLookTyped } from './snippets.ts';

export interface RowsPageParts extends RowsFacts, Omit<RowsTableProps, 'context' | 'profile'> {
  /** All columns that there are. */
  readonly allColumns: readonly Column[];
  /** If no row matches: filters with the number of rows without each of them. */
  readonly obstacles: readonly Obstacle[];
}

type Props = RowsPageParts & { readonly context: PageContext };

export function renderRowsPage(asked: PageContext, parts: RowsPageParts): Steps<string> {
  const query = new URLSearchParams(withExactNames(asked.query, parts.allColumns));
  return renderRows({ ...asked, query }, parts);
}

function renderRows(context: PageContext, parts: RowsPageParts): Steps<string> {
  const { locale } = context;
  const {
    dataset,
    namespace,
    query,
    version,
    isVersionPage,
    rows,
    matched,
    columns,
    allColumns,
    offset,
    isAggregated,
  } = parts;
  const isSingle = isSingleRow(parts);
  const parameters = [...context.query, ...parametersFromRecord(query?.parameters ?? {})];
  const written = isAggregated || parameters.some(([name]) => name === '_fields') ? columns : allColumns;
  const title = query?.label ?? dataset.label;
  const last: Crumb = {
    text: isSingle ? locale.text('rowNumber', { number: offset + 1 }) : locale.text('rowsCrumb'),
  };
  const below = isVersionPage
    ? [{ text: locale.date(version.datetime), href: hrefOf(context, context.path.replace(/data\/$/, '')) }]
    : [];
  const crumbs = query
    ? [
        { text: locale.text('queries'), href: hrefOf(context, '/api/v1/queries/') },
        { text: query.slug, href: hrefOf(context, context.path.replace(/data\/$/, '')) },
        last,
      ]
    : datasetCrumbs(context, dataset, namespace, [...below, last]);
  const pageParts = {
    title: isSingle
      ? locale.text('rowNumberOf', { number: offset + 1, label: title })
      : locale.text('rowsOf', { label: title }),
    section: query ? 'queries' : 'datasets',
    isHidden: true,
    json: hrefWith(context, { _format: 'json', format: null }),
    crumbs,
  } as const;
  return renderPageInSteps(context, pageParts, [
    <Titles key="titles" context={context} {...parts} />,
    <TooLargeToFilter key="too-large" context={context} path={context.path} />,
    <RowFilters key="filters" context={context} columns={allColumns} isAggregated={isAggregated} />,
    <RowsAddress
      key="address"
      {...{ context, matched, isAggregated, columns: written }}
      title={title}
      name={query?.slug ?? dataset.slug}
      subject={query ? `@${query.slug}` : formatRef(refOf(isVersionPage ? version : dataset))}
      isPrivate={parts.isPrivate}
      textColumns={columnsThatLookTyped(written, profilesByColumn(version, parts.profile))}
    />,
    context.filteringOf?.(context.path) === 'inBrowser' && (
      <RowsForScript key="script" context={context} parts={parts} />
    ),
    rows.length === 0 ? (
      <NoRows key="none" context={context} {...parts} />
    ) : isSingle ? (
      <SingleRow key="row" context={context} {...parts} />
    ) : (
      <RowsTable key="rows" context={context} {...parts} />
    ),
  ]);
}

/** True if the page shows one row, whole. */
const isSingleRow = ({ limit, rows, isAggregated }: RowsPageParts): boolean =>
  limit === 1 && rows.length === 1 && !isAggregated;

/** What the rows are, how many, and of which version; and the form that chooses columns. */
function Titles({ context, ...parts }: Props): VNode {
  const { locale } = context;
  const { dataset, query, version, columns, allColumns, isAggregated } = parts;
  const shown = { shown: columns.length, count: columns.length };
  return (
    <div class="titles">
      <div>
        <h1 dir="auto">{query?.label ?? dataset.label}</h1>
        <p class="soft dots" aria-live="polite">
          <span>{isAggregated ? locale.text('groupsOfRows') : <RowCount context={context} {...parts} />}</span>
          {!isAggregated && <span>{locale.text('columnsShown', { ...shown, all: allColumns.length })}</span>}
          <span>{locale.text('versionOf', { date: locale.date(version.datetime, 'long') })}</span>
        </p>
      </div>
      {!isAggregated && allColumns.length > 1 && <ColumnPicker context={context} {...parts} />}
    </div>
  );
}

/** How many rows match; of a single row, which of them it is. */
function RowCount({ context, ...parts }: Props): VNode {
  const { locale } = context;
  const { matched, total, offset } = parts;
  if (isSingleRow(parts) && matched > 1)
    return (
      <>
        {locale.fill(matched < total ? 'rowOfMatching' : 'rowOfAll', {
          row: <b>{locale.number(offset + 1)}</b>,
          matched: locale.number(matched),
          total: locale.number(total),
        })}
      </>
    );
  const shown = { matched: <b>{locale.number(matched)}</b>, total: locale.number(total) };
  return <>{locale.fill('rowsMatch', { count: matched, ...shown })}</>;
}

/** The form that chooses columns; the server redirects to the address that it makes. */
function ColumnPicker({ context, columns, allColumns }: Props): VNode {
  const { locale, query } = context;
  const shown = { shown: columns.length, count: columns.length };
  return (
    <details class="picker">
      <summary class="btn">
        {locale.text('columns')} <small>{locale.text('columnsShown', { ...shown, all: allColumns.length })}</small>
      </summary>
      <div>
        <form action={hrefOf(context, context.path)}>
          {[...query]
            .filter(([name]) => name !== '_fields')
            .map(([name, value]) => (
              <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
            ))}
          {allColumns.length > mostListedColumns ? (
            <label>
              <span class="vh">{locale.text('columns')}</span>
              <input name="_fields" value={columns.map(({ name }) => quotedName(name)).join(',')} required />
            </label>
          ) : (
            <ColumnChoices {...{ locale, columns, allColumns }} />
          )}
          <button class="btn main" type="submit">
            {locale.text('showColumns')}
          </button>
        </form>
      </div>
    </details>
  );
}

/** A box to tick for each column, as text: elements would take long. */
function ColumnChoices({
  locale,
  columns,
  allColumns,
}: Pick<Props, 'columns' | 'allColumns'> & { locale: Locale }): VNode {
  const shown = new Set(columns.map(({ name }) => name));
  const choiceOf = ({ name, label }: Column) =>
    `<label><input type="checkbox" name="_show" value="${escapeHtml(name)}"${shown.has(name) ? ' checked' : ''}/>` +
    `<span dir="auto"><code>${escapeHtml(name)}</code>` +
    `${label && label !== name ? ` <span class="faint">${escapeHtml(label)}</span>` : ''}</span></label>`;
  const legend = `<legend class="vh">${escapeHtml(locale.text('columns'))}</legend>`;
  return <fieldset dangerouslySetInnerHTML={{ __html: legend + allColumns.map(choiceOf).join('') }} />;
}

/** One row: a field a line, whole. */
function SingleRow({ context, rows, columns, matched, offset }: Props): VNode {
  const { locale } = context;
  const [row = {}] = rows;
  const to = (at: number) => hrefWith(context, { ...noPart, _limit: '1', _offset: String(at) });
  const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  return (
    <>
      <dl class="facts single">
        {columns.map(({ name, label, unit }) => {
          const value = row[name];
          return (
            <div key={name}>
              <dt dir="auto">
                {label || name} {label && label !== name && <code>{name}</code>}
              </dt>
              <dd dir="auto" class={value == null ? 'null' : undefined}>
                {value == null ? locale.text('null') : textOf(value)}
                {value != null && unit && <span class="faint"> {unit}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
      <nav class="pager" aria-label={locale.text('pages')}>
        {offset > 0 ? (
          <a href={to(offset - 1)} rel="prev">
            ← {locale.text('rowNumber', { number: offset })}
          </a>
        ) : (
          <span />
        )}
        <a
          href={
            hrefOf(context, context.path) +
            queryStringOf([...context.query].filter(([name]) => !Object.hasOwn(noPart, name)))
          }
        >
          {locale.text('allRows')}
        </a>
        {offset + 1 < matched ? (
          <a href={to(offset + 1)} rel="next">
            {locale.text('rowNumber', { number: offset + 2 })} →
          </a>
        ) : (
          <span />
        )}
      </nav>
    </>
  );
}
