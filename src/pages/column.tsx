/** The page of a column: its meaning, the distribution of its values, and its name and type in each version. */
import type { ComponentChildren, VNode } from 'preact';
import { type ColumnInVersion, columnInVersions } from '../catalogue/column-in-versions.ts';
import { type ColumnProfile, type Histogram, statisticsInMetadata } from '../catalogue/column-statistics.ts';
import { refOf } from '../catalogue/ref.ts';
import { quotedName } from '../catalogue/row-parameters.ts';
import type { Column, Dataset } from '../catalogue/types.ts';
import { apiPath, columnPath } from '../catalogue/urls.ts';
import { TypeOfColumn } from './cells.tsx';
import { datasetCrumbs } from './dataset-crumbs.ts';
import { examplesText } from './example-values.ts';
import { dateOfVersion } from './figures.ts';
import { filterName, filtersOfBin, HistogramBars, makeRowsHref, plainValue, TopValues } from './histogram.tsx';
import { renderPage } from './layout.tsx';
import { AllVersions, listVersions } from './listed-versions.tsx';
import { edgeTexts } from './number-texts.ts';
import { hrefOfRef, type PageContext } from './page-context.ts';
import { TooLargeToFilter } from './rows-in-files.tsx';
import { ScrollBox } from './scroll-box.tsx';

export interface ColumnPageParts {
  readonly dataset: Dataset;
  /** Label of the namespace. */
  readonly namespace: string;
  readonly column: Column;
  /** Null if there are no rows, or they aren't ready. */
  readonly profile: ColumnProfile | null;
  /** Why there is no profile; '' if the rows are only not ready yet. */
  readonly reason: string;
  readonly rows: number;
}

type Props = ColumnPageParts & { readonly context: PageContext };

export function renderColumnPage(context: PageContext, parts: ColumnPageParts): string {
  const { locale } = context;
  const { dataset, namespace, column, profile, reason } = parts;
  const { name, label, description } = column;
  const versions = columnInVersions({ ...dataset, versions: listVersions(dataset.versions, []) }, name);
  const title = label || name;
  const section = (id: string, heading: string, content: ComponentChildren) => (
    <section class="part" aria-labelledby={id}>
      <header>
        <h2 id={id}>{heading}</h2>
      </header>
      <div>{content}</div>
    </section>
  );
  return renderPage(context, {
    title: `${title} – ${dataset.label}`,
    ...(description && { description }),
    section: 'datasets',
    canonical: columnPath(refOf(dataset), name),
    crumbs: datasetCrumbs(context, dataset, namespace, [
      { text: locale.text('columnsCrumb'), href: `${hrefOfRef(context, refOf(dataset))}#columns` },
      { text: name },
    ]),
    children: (
      <div class="column-page">
        <div class="titles">
          <div>
            <h1 dir="auto">{title}</h1>
            <p class="soft dots">
              {title !== name && (
                <code dir="auto" class="name">
                  {name}
                </code>
              )}
              <TypeOfColumn column={column} />
              <span>{locale.fill('columnOf', { label: <bdi>{dataset.label}</bdi> })}</span>
            </p>
          </div>
        </div>
        {description && (
          <p class="prose" dir="auto">
            {description}
          </p>
        )}
        {profile ? (
          section('values', locale.text('values'), <Values context={context} {...parts} profile={profile} />)
        ) : (
          <p class="soft" dir="auto" lang={reason ? locale.langOf(reason) : undefined}>
            {reason || locale.text('rowsNotReady')}
          </p>
        )}
        {versions.length > 0 &&
          section('versions', locale.text('versions'), <InVersions context={context} {...parts} versions={versions} />)}
      </div>
    ),
  });
}

function Values({ context, dataset, column, profile, rows }: Props & { readonly profile: ColumnProfile }): VNode {
  const { locale } = context;
  const { name, type } = column;
  const rowsPath = hrefOfRef(context, refOf(dataset), 'data/');
  const rowsHref = makeRowsHref(rowsPath);
  const { histogram, top, examples } = profile;
  const edges = histogram ? edgeTexts(locale, name, histogram.edges) : [];
  return (
    <>
      <TooLargeToFilter context={context} path={`${apiPath(refOf(dataset))}data/`} />
      <Figures {...{ context, column, profile, rows, rowsHref }} />
      {histogram && (
        <figure class="distribution" aria-labelledby="values">
          <HistogramBars {...{ locale, name, type, histogram, rowsHref, width: 720, height: 160 }} />
          <p class="ends">
            <span>{edges[0]}</span>
            <span>{edges.at(-1)}</span>
          </p>
          <Bins {...{ context, name, histogram, rowsHref }} />
        </figure>
      )}
      {top && (
        <>
          <h3>{locale.text('mostFrequent')}</h3>
          <TopValues {...{ locale, column: profile, rows, rowsHref, most: 10 }} areTabStops />
        </>
      )}
      {!top && examples && examples.length > 0 && <p dir="auto">{examplesText(locale, profile, 80)}</p>}
      <p>
        <a href={rowsHref(type === 'geometry' ? [] : [['_ordering', quotedName(name)]])} rel="nofollow">
          {locale.text('allRowsWithFilters')} →
        </a>
      </p>
    </>
  );
}

interface FiguresProps {
  readonly context: PageContext;
  readonly column: Column;
  readonly profile: ColumnProfile;
  readonly rows: number;
  readonly rowsHref: ReturnType<typeof makeRowsHref>;
}

function Figures({ context, column, profile, rows, rowsHref }: FiguresProps): VNode {
  const { locale } = context;
  const { nulls, distinct, min, max, mean, median } = profile;
  const lines: readonly (readonly [string, ComponentChildren] | false)[] = [
    [locale.text('rows'), locale.number(rows)],
    [
      locale.text('missing'),
      nulls > 0 && rows > 0 ? (
        <>
          <a href={rowsHref([[`${column.name}__isnull`, 'true']])} rel="nofollow">
            {locale.number(nulls)}
          </a>{' '}
          ({locale.percent(nulls / rows)})
        </>
      ) : (
        locale.number(nulls)
      ),
    ],
    distinct !== null && [locale.text('distinctValues'), locale.number(distinct)],
    min !== undefined && [locale.text('smallest'), <ValueLink key="min" {...{ column, rowsHref }} value={min} />],
    max !== undefined && [locale.text('largest'), <ValueLink key="max" {...{ column, rowsHref }} value={max} />],
    mean !== undefined && [locale.text('mean'), locale.rounded(mean)],
    median !== undefined && [locale.text('median'), locale.rounded(median)],
  ];
  return (
    <dl class="facts">
      {lines.map((line) =>
        line ? (
          <div key={line[0]}>
            <dt>{line[0]}</dt>
            <dd>{line[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

function ValueLink({
  column,
  value,
  rowsHref,
}: Pick<FiguresProps, 'column' | 'rowsHref'> & { readonly value: number | string }): VNode {
  const text = plainValue(value);
  // Long texts are cut in the profile: no row is equal to one of them.
  return text.length < 100 ? (
    <a href={rowsHref([[filterName(column.name), text]])} rel="nofollow" dir="auto">
      {text || '“”'}
    </a>
  ) : (
    <span dir="auto">{text}…</span>
  );
}

/** The bars as a table, whose rows are links: for the keyboard, and for reading the numbers. */
function Bins({
  context,
  name,
  histogram,
  rowsHref,
}: {
  readonly context: PageContext;
  readonly name: string;
  readonly histogram: Histogram;
  readonly rowsHref: ReturnType<typeof makeRowsHref>;
}): VNode {
  const { locale } = context;
  const edges = edgeTexts(locale, name, histogram.edges);
  return (
    <details>
      <summary>{locale.text('barsAsTable')}</summary>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">{locale.text('fromEdge')}</th>
            <th scope="col">{locale.text('toEdge')}</th>
            <th scope="col" class="num">
              {locale.text('rows')}
            </th>
          </tr>
        </thead>
        <tbody>
          {histogram.counts.map((count, i) => (
            <tr key={histogram.edges[i]}>
              <td>{edges[i]}</td>
              <td>{edges[i + 1]}</td>
              <td class="num">
                <a href={rowsHref(filtersOfBin(name, histogram, i))} rel="nofollow">
                  {locale.number(count)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function InVersions({
  context,
  dataset,
  column,
  versions,
}: Props & { readonly versions: readonly ColumnInVersion[] }): VNode {
  const { locale } = context;
  const all = versions.map(({ version }) => version);
  return (
    <>
      <ScrollBox label={locale.text('inVersions', { name: column.name })}>
        <table class="grid">
          <thead>
            <tr>
              {(['version', 'nameInVersion', 'typeInVersion', 'filled', 'smallest', 'largest'] as const).map((key) => (
                <th key={key} scope="col">
                  {locale.text(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {versions.map(({ version, name, type }) => {
              const { nulls, min, max } = (name !== null && statisticsInMetadata(version).get(name)) || {};
              const share = nulls === undefined || !version.rows ? undefined : 1 - nulls / version.rows;
              return (
                <tr key={version.slug}>
                  <th scope="row">
                    <a href={hrefOfRef(context, refOf(version))}>{dateOfVersion(locale, version, all)}</a>
                  </th>
                  {name === null ? (
                    <td colSpan={5} class="null">
                      {locale.text('notInVersion')}
                    </td>
                  ) : (
                    <>
                      <td dir="auto">
                        <code class={name === column.name ? undefined : 'changed'}>{name}</code>
                      </td>
                      <td class={type === null || type === column.type ? undefined : 'changed'}>
                        {type ?? <span class="soft">{locale.text('notRecorded')}</span>}
                      </td>
                      <td>{share === undefined ? '' : locale.percent(share)}</td>
                      <td dir="auto">{min === undefined ? '' : plainValue(min).slice(0, 40)}</td>
                      <td dir="auto">{max === undefined ? '' : plainValue(max).slice(0, 40)}</td>
                    </>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollBox>
      <AllVersions context={context} dataset={dataset} />
    </>
  );
}
