/** The columns of a dataset: type, unit, meaning, and a profile of their values. */
import type { ComponentChildren, VNode } from 'preact';
import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import type { Column } from '../catalogue/types.ts';
import { TypeOfColumn } from './cells.tsx';
import { examplesText } from './example-values.ts';
import { Ends, HistogramBars, makeRowsHref, plainValue, type RowsHref, TopValues } from './histogram.tsx';
import { escapeHtml } from './html.ts';
import type { Locale } from './locale.ts';
import type { PageContext } from './page-context.ts';
import { mostListedColumns } from './preview-columns.ts';

export interface ColumnsProps {
  readonly context: PageContext;
  readonly columns: readonly Column[];
  /** As far as they are known. */
  readonly profiles: ReadonlyMap<string, Partial<ColumnProfile>>;
  readonly rows: number;
  /** Path of the rows. */
  readonly rowsPath: string;
  /** Address of the JSON with all columns. */
  readonly jsonHref: string;
  /** Address of the page of a column; undefined if it has none. */
  readonly columnHref: (name: string) => string | undefined;
}

/** Columns shown before the rest is folded; all, if few more. */
const shownColumns = 6;
const fewColumns = 10;
/** Columns with a profile. Of further ones, the list has name, type and label, and their pages have the rest. */
const mostProfiled = 100;
/** Columns by name alone, of each list. */
const mostNamed = mostListedColumns / 2;

export function ColumnList(props: ColumnsProps): VNode {
  const { columns, profiles, rows, rowsPath, columnHref } = props;
  const { locale } = props.context;
  const rowsHref = makeRowsHref(rowsPath);
  const isDull = ({ name }: Column) => {
    const { nulls = 0, distinct } = profiles.get(name) ?? {};
    return rows > 1 && (nulls === rows || (distinct === 1 && nulls === 0));
  };
  const isLong = columns.length > fewColumns;
  const dull = isLong ? columns.filter(isDull) : [];
  const telling = isLong ? columns.filter((column) => !isDull(column)) : columns;
  const first = telling.length > fewColumns ? telling.slice(0, shownColumns) : telling;
  const rest = telling.slice(first.length, mostProfiled);
  const further = telling.slice(first.length + rest.length);
  const item = (column: Column) => (
    <ColumnItem
      key={column.name}
      {...{ locale, column, profile: profiles.get(column.name) ?? {}, rows, rowsHref, columnHref }}
    />
  );
  const same = dull.length > 0 && (
    <details class="rest">
      <summary>{locale.text('sameInEveryRow', { count: dull.length })}</summary>
      <NameList {...props} columns={dull} about={({ name }) => constantOf(locale, profiles.get(name))} />
    </details>
  );
  return (
    <>
      {isLong && (
        <p class="finder only-js">
          <label class="vh" for="find-column">
            {locale.text('findColumn')}
          </label>
          <input
            id="find-column"
            type="search"
            placeholder={locale.text('findColumn')}
            data-filter=".profile > li, .dull > li"
          />
        </p>
      )}
      <p class="profile-head" aria-hidden="true">
        {(['nameAndType', 'meaning', 'filled', 'values'] as const).map((key) => (
          <span key={key}>{locale.text(key)}</span>
        ))}
      </p>
      <ol class="profile">{first.map(item)}</ol>
      {rest.length > 0 ? (
        <details class="rest">
          <summary>{locale.text('moreColumns', { count: rest.length + further.length + dull.length })}</summary>
          <ol class="profile">{rest.map(item)}</ol>
          {further.length > 0 && <NameList {...props} columns={further} about={({ type }) => type} />}
          {same}
        </details>
      ) : (
        same
      )}
    </>
  );
}

interface NameListProps extends Pick<ColumnsProps, 'context' | 'columns' | 'jsonHref' | 'columnHref'> {
  readonly about: (column: Column) => string;
}

/** Columns by their names, each with its label and a few words about it: the first ones, written as text. */
function NameList({ context, columns, jsonHref, columnHref, about }: NameListProps): VNode {
  const item = (column: Column) => {
    const { name, label } = column;
    const href = columnHref(name);
    const [start, end] = href === undefined ? ['<span', '</span>'] : [`<a href="${escapeHtml(href)}"`, '</a>'];
    const labelled = label && label !== name ? `<span dir="auto">${escapeHtml(label)}: </span>` : '';
    return `<li>${start} dir="auto"><code>${escapeHtml(name)}</code>${end} ${labelled}${escapeHtml(about(column))}</li>`;
  };
  const more = columns.length - mostNamed;
  return (
    <>
      <ul class="dull" dangerouslySetInnerHTML={{ __html: columns.slice(0, mostNamed).map(item).join('') }} />
      {more > 0 && (
        <p class="s">
          {context.locale.text('moreColumns', { count: more })}: <a href={jsonHref}>JSON</a>
        </p>
      )}
    </>
  );
}

interface LinkProps {
  readonly href: string | undefined;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link to an address; without one, its text. */
function LinkOrText({ href, class: name, children }: LinkProps): VNode {
  return href === undefined ? (
    <span class={name} dir="auto">
      {children}
    </span>
  ) : (
    <a class={name} href={href} dir="auto">
      {children}
    </a>
  );
}

function constantOf(locale: Locale, profile: Partial<ColumnProfile> | undefined): string {
  const value = profile?.top?.[0]?.value ?? profile?.min;
  return value === undefined ? locale.text('empty') : locale.text('always', { value: plainValue(value).slice(0, 60) });
}

interface ItemProps {
  readonly locale: Locale;
  readonly column: Column;
  readonly profile: Partial<ColumnProfile>;
  readonly rows: number;
  readonly rowsHref: RowsHref;
  /** Address of the page of a column; undefined if it has none. */
  readonly columnHref: (name: string) => string | undefined;
}

function ColumnItem({ locale, column, profile, rows, rowsHref, columnHref }: ItemProps): VNode {
  const { name, label, description } = column;
  return (
    <li>
      <div>
        <LinkOrText class="name" href={columnHref(name)}>
          {name}
        </LinkOrText>{' '}
        <TypeOfColumn column={column} />
      </div>
      <div class="what">
        {label && label !== name && <b dir="auto">{label}</b>}
        {description && <p dir="auto">{description}</p>}
      </div>
      <Filled locale={locale} profile={profile} rows={rows} />
      <div class="vals">
        <Values locale={locale} column={column} profile={profile} rows={rows} rowsHref={rowsHref} />
      </div>
    </li>
  );
}

function Filled({ locale, profile, rows }: Pick<ItemProps, 'locale' | 'profile' | 'rows'>): VNode {
  const { nulls, distinct } = profile;
  const share = nulls === undefined || rows === 0 ? undefined : 1 - nulls / rows;
  return (
    <div class="fill">
      {share !== undefined && share < 1 && (
        <svg class="share" aria-hidden="true" width="72" height="4" viewBox="0 0 72 4">
          <rect class="bed" width="72" height="4" />
          <rect class="bar-ink" width={(72 * share).toFixed(1)} height="4" />
        </svg>
      )}
      {share === 1 && <span class="faint">{locale.text('allFilled')}</span>}
      {share !== undefined && share < 1 && (
        <span class={share < 0.5 ? 'low' : undefined}>
          {locale.text('percentFilled', { percent: locale.percent(share) })}
        </span>
      )}
      {distinct != null && distinct > 0 && (
        <span class="faint distinct">{locale.text('distinctCount', { count: distinct })}</span>
      )}
    </div>
  );
}

/** Numbers with at most this many values are shown as values. */
const fewValues = 3;

/** The values of a column: a histogram, the most frequent ones, or examples. */
function Values({ locale, column, profile, rows, rowsHref }: Omit<ItemProps, 'columnHref'>): VNode | null {
  const { name, type } = column;
  const { histogram, top, distinct, min, max, examples } = profile;
  const full = { ...profile, name, type } as ColumnProfile;
  if (histogram && !(top && (distinct ?? 0) <= fewValues))
    return (
      <>
        <HistogramBars {...{ locale, name, type, histogram, rowsHref }} />
        <Ends locale={locale} name={name} profile={profile} />
      </>
    );
  if (top && (top[0]?.count ?? 0) > 1)
    return <TopValues locale={locale} column={full} rows={rows} rowsHref={rowsHref} />;
  if (examples?.length)
    return (
      <p class="ends">
        <span dir="auto">{examplesText(locale, full, 24)}</span>
      </p>
    );
  if (min === undefined || max === undefined) return null;
  return <Ends locale={locale} name={name} profile={profile} />;
}
