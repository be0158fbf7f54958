/** The page of the differences between two versions. */
import type { ComponentChildren, VNode } from 'preact';
import { areColumnsUnchanged } from '../catalogue/columns.ts';
import type { Difference, DifferenceSummary } from '../catalogue/difference.ts';
import { hasCountedRows } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { type ChangedRows, ChangedRowsTable } from './changed-rows.tsx';
import { CodeBlock } from './code-block.tsx';
import { datasetCrumbs } from './dataset-crumbs.ts';
import { DifferenceColumns, DifferenceHints } from './difference-columns.tsx';
import { dateOfVersion } from './figures.ts';
import { renderPage } from './layout.tsx';
import { listVersions } from './listed-versions.tsx';
import { absoluteUrl, hrefOf, hrefWith, type PageContext, queryStringOf } from './page-context.ts';
import { Part } from './part.tsx';
import { ShareBar, sharesOf } from './share-bar.tsx';

export interface DifferencePageParts {
  /** The dataset of the newer version. */
  readonly dataset: Dataset;
  /** Label of the namespace. */
  readonly namespace: string;
  readonly from: Version;
  readonly to: Version;
  readonly difference: Pick<Difference, 'columns' | 'key' | 'counts' | 'renames'>;
  readonly summary: DifferenceSummary;
  /** The rows that are shown: changed, added, removed. */
  readonly sections: readonly ChangedRows[];
  /** Column in which all changed rows that are shown differ; null if they aren't filtered. */
  readonly column: string | null;
  /** Names of columns that could tell rows apart. */
  readonly keyChoices: readonly string[];
  /** Number of columns that are not shown. */
  readonly hiddenColumns: number;
  /** The map of the rows that differ, as SVG; null if there is none. */
  readonly map: DifferenceMap | null;
}

/** A picture of the places of the rows that differ. */
export interface DifferenceMap {
  /** Trusted markup. */
  readonly svg: string;
  /** Rows that are drawn: in red, in green, and in ochre those that changed, but not in their place. */
  readonly before: number;
  readonly after: number;
  readonly same: number;
  /** Number of rows of each kind that are drawn, if not all are; else null. */
  readonly most: number | null;
}

const headings = { changed: 'changedRows', added: 'addedRows', removed: 'removedRows' } as const;

export function renderDifferencePage(context: PageContext, parts: DifferencePageParts): string {
  const { locale } = context;
  const { dataset, namespace, difference, sections, hiddenColumns } = parts;
  const { added, removed, changed } = difference.counts;
  const title = locale.text('differencesOf', { label: dataset.label });
  const showsAll = context.query.get('_columns') === 'all';
  const dates = [parts.from, parts.to].map(({ datetime }) => locale.date(datetime));
  return renderPage(context, {
    title: `${title}, ${dates.join(' – ')}`,
    section: 'datasets',
    isHidden: true,
    json: addressAs(context, parts, 'json'),
    crumbs: datasetCrumbs(context, dataset, namespace, [{ text: locale.text('whatChangedCrumb') }]),
    children: (
      <div class="diff">
        <div class="titles">
          <h1 dir="auto">{title}</h1>
        </div>
        <PairForm context={context} {...parts} />
        <Tally context={context} {...parts} />
        <DifferenceColumns context={context} {...parts} />
        <DifferenceHints context={context} {...parts} />
        <MapOfChanges context={context} map={parts.map} />
        {added + removed + changed === 0 && (
          <div class="empty">
            <h2>{locale.text('noDifference')}</h2>
            <p>{locale.text('noDifferenceWhy')}</p>
          </div>
        )}
        {sections
          .filter(({ total }) => total > 0)
          .map((section) => (
            <Part
              key={section.change}
              id={section.change}
              title={locale.text(headings[section.change])}
              note={noteOf(context, section, parts)}
            >
              <ChangedRowsTable context={context} label={tableLabel(context, section)} {...section} />
            </Part>
          ))}
        {(hiddenColumns > 0 || showsAll) && (
          <p class="after">
            <a href={hrefWith(context, { _columns: showsAll ? null : 'all' })} rel="nofollow">
              {showsAll
                ? locale.text('hideUnchangedColumns')
                : locale.text('showUnchangedColumns', { count: hiddenColumns })}
            </a>
          </p>
        )}
        <OtherForms context={context} {...parts} />
      </div>
    ),
  });
}

/** Name of a table, which differs from that of its part. */
const tableLabel = ({ locale }: PageContext, { change, total }: ChangedRows): string =>
  `${locale.text(headings[change])}: ${locale.text('rowCount', { count: total })}`;

function noteOf({ locale }: PageContext, { change, total }: ChangedRows, parts: DifferencePageParts): string {
  const rows = locale.text('rowCount', { count: total });
  const { summary, column, difference } = parts;
  if (change !== 'changed' || column !== null || summary.counted < difference.counts.changed) return rows;
  return `${rows}, ${locale.text('valueCount', { count: summary.values })}`;
}

/** The form that chooses both versions and the key. */
function PairForm({ context, dataset, from, to, keyChoices }: DifferencePageParts & { context: PageContext }): VNode {
  const { locale, query } = context;
  const own = listVersions(
    dataset.versions,
    [from, to],
    (version) => (version.ready && hasCountedRows(version)) || version === to,
  );
  const slugs = own.map(({ slug }) => slug);
  const isOther = from.namespace !== dataset.namespace || from.dataset !== dataset.slug;
  const options = own.map((version) => ({
    slug: version.slug,
    text: dateOfVersion(locale, version, dataset.versions, 'long'),
  }));
  const first =
    isOther || !slugs.includes(from.slug)
      ? [{ slug: isOther ? formatRef(refOf(from)) : from.slug, text: formatRef(refOf(from)) }]
      : [];
  const select = (name: string, label: string, list: typeof options, chosen: string) => (
    <>
      <label for={`pair${name}`}>{label}</label>
      <select id={`pair${name}`} name={name}>
        {list.map(({ slug, text }) => (
          <option key={slug} value={slug} selected={slug === chosen}>
            {text}
          </option>
        ))}
      </select>
    </>
  );
  const asked = query.get('_key') ?? '';
  const known = [...new Set([...(asked ? [asked] : []), ...keyChoices])];
  const keys = [{ slug: '', text: locale.text('keyFound') }, ...known.map((name) => ({ slug: name, text: name }))];
  return (
    <form class="row pairs" action={hrefOf(context, context.path)}>
      {select('_from', locale.text('fromVersion'), [...first, ...options], first[0]?.slug ?? from.slug)}
      {select('_to', locale.text('toVersion'), options, to.slug)}
      {select('_key', locale.text('rowsKnownBy'), keys, asked)}
      <button class="btn" type="submit">
        {locale.text('compareButton')}
      </button>
    </form>
  );
}

/** The four figures and a bar. */
function Tally({ context, difference }: DifferencePageParts & { readonly context: PageContext }): VNode {
  const { locale } = context;
  const { counts, columns, key } = difference;
  const figure = (change: keyof typeof headings, kind: string, sign: string, words: string) => (
    <Figure href={counts[change] > 0 ? `#${change}` : null} kind={kind}>
      <b>
        {sign}
        {locale.number(counts[change])}
      </b>
      <span>{words}</span>
    </Figure>
  );
  const rows = (count: number) => locale.text('rowCount', { count });
  const isSameWidth = areColumnsUnchanged(columns) && !columns.renamed;
  return (
    <>
      <div class="tally">
        {figure('added', 'add', '+', locale.text('rowsAdded', { count: counts.added }))}
        {figure('removed', 'del', '−', locale.text('rowsRemoved', { count: counts.removed }))}
        {figure('changed', 'chg', '~', locale.text('rowsChanged', { count: counts.changed }))}
        <div>
          <b>{locale.number(counts.unchanged)}</b>
          <span>{locale.text('rowsSame')}</span>
        </div>
        <div class="spark">
          <ShareBar width={420} height={10} parts={sharesOf(counts)} />
          <span class="faint">
            {locale.text('rowsBeforeAfter', { from: rows(counts.from), to: rows(counts.to) })}
            {isSameWidth && `, ${locale.text('noColumnChange')}`}
          </span>
        </div>
      </div>
      <p class="s soft">
        {key.kind === 'id'
          ? locale.text('knownById')
          : key.kind === 'row'
            ? locale.text('knownByWholeRow')
            : locale.fill('knownByColumns', { names: <code dir="auto">{key.columns.join(', ')}</code> })}
      </p>
    </>
  );
}

function Figure({ href, kind, children }: { href: string | null; kind: string; children: ComponentChildren }): VNode {
  return href ? (
    <a class={kind} href={href}>
      {children}
    </a>
  ) : (
    <div class={kind}>{children}</div>
  );
}

function MapOfChanges({ context, map }: { context: PageContext; map: DifferenceMap | null }): VNode | null {
  const { locale } = context;
  if (!map) return null;
  const { svg, before, after, same, most } = map;
  return (
    <Part id="map" title={locale.text('mapOfChanges')} note={locale.text('mapOfChangesNote')}>
      <div
        class="plate"
        role="img"
        aria-label={locale.text('mapOfChangesAlt', { before, after, same })}
        dangerouslySetInnerHTML={{ __html: svg }}
      />
      {most !== null && <p class="s soft">{locale.text('mapOfSome', { count: most })}</p>}
    </Part>
  );
}

/** The same differences for programs. */
function OtherForms({ context, ...parts }: DifferencePageParts & { readonly context: PageContext }): VNode {
  const { locale } = context;
  return (
    <Part id="use" title={locale.text('useIt')} note="">
      <p class="dots">
        <span>{locale.text('theseDifferencesAs')}</span>
        <a href={addressAs(context, parts, 'json')} rel="nofollow">
          JSON
        </a>
        <a href={addressAs(context, parts, 'ndjson')} rel="nofollow">
          NDJSON
        </a>
      </p>
      <CodeBlock
        context={context}
        label="curl"
        code={`curl '${absoluteUrl(context, addressAs({ ...context, base: '' }, parts, 'ndjson').replaceAll("'", '%27'))}'`}
      />
    </Part>
  );
}

/** Address of the differences in a format of programs. */
function addressAs(context: PageContext, { from, dataset }: DifferencePageParts, format: 'json' | 'ndjson'): string {
  const isOther = from.namespace !== dataset.namespace || from.dataset !== dataset.slug;
  const key = context.query.get('_key');
  return (
    hrefOf(context, context.path) +
    queryStringOf([
      ['_from', isOther ? formatRef(refOf(from)) : from.slug],
      ...(key ? [['_key', key] as const] : []),
      ['_format', format],
    ])
  );
}
