/** The parts of the page of a dataset or of a version, as far as they have content. */
import type { ComponentChildren, VNode } from 'preact';
import { nameAfterRename } from '../catalogue/column-names.ts';
import type { ColumnProfile, VersionProfile } from '../catalogue/column-statistics.ts';
import { hasCountedRows } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Column, Commit, Dataset, Query, Version } from '../catalogue/types.ts';
import { apiPath, columnPath, downloadFileName } from '../catalogue/urls.ts';
import { ChartFigure } from './chart.tsx';
import type { Chart } from './chart-scales.ts';
import { ColumnList } from './dataset-columns.tsx';
import { DatasetMap, type ShownMap } from './dataset-map.tsx';
import type { DatasetState } from './dataset-notes.tsx';
import { type VersionChange, VersionList } from './dataset-versions.tsx';
import { rowCountKey } from './figures.ts';
import { FileLook, type FilePreview } from './file-preview.tsx';
import { countOfFirstRows, FirstRows, type Preview } from './first-rows.tsx';
import { CommitList } from './history.tsx';
import { keptHtml } from './kept-html.ts';
import { LicenceAndCiting } from './licence-and-citing.tsx';
import { firstParagraph } from './markdown.ts';
import { absoluteUrl, hrefOf, hrefOfRef, type PageContext } from './page-context.ts';
import { profilesByColumn } from './preview-columns.ts';
import { TooLargeToFilter } from './rows-in-files.tsx';
import { columnsThatLookTyped } from './snippets.ts';
import { UseIt } from './use-it.tsx';

export interface DatasetPageParts {
  readonly dataset: Dataset;
  /** Names of the columns that have a page. */
  readonly columnPages: ReadonlySet<string>;
  /** Label of the namespace. */
  readonly namespace: string;
  /** The version that is shown; undefined if there is none. */
  readonly version: Version | undefined;
  readonly isVersionPage: boolean;
  /** Sizes in bytes of the files in other formats that are made already. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The first rows, of the columns that say most; null if there are none to show. */
  readonly preview: Preview | null;
  /** Why there are no rows; '' if they are only not ready yet. */
  readonly reason: string;
  readonly profile: VersionProfile | null;
  /** False if some of the rows, their statistics, maps and comparisons aren't ready yet. */
  readonly isComplete: boolean;
  readonly queries: readonly Query[];
  /** Changes since the version before, by slug. */
  readonly changes: ReadonlyMap<string, VersionChange>;
  readonly state: DatasetState;
  /** The latest commits that touched it. */
  readonly history: readonly Commit[];
  /** A first look at a payload that has no rows. */
  readonly filePreview: FilePreview | null;
  /** What the map shows: null if it isn't drawn yet, undefined if the rows have no geometry. */
  readonly map: ShownMap | null | undefined;
  /** Others of the same namespace or with the same keywords. */
  readonly others: readonly Dataset[];
  /** Null if the columns make none. */
  readonly chart: Chart | null;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  /** One measured note. */
  readonly note: string;
  readonly content?: ComponentChildren;
  /** Content that is rendered by itself, as HTML. */
  readonly html?: () => string;
}

/** The parts of the page that have content. */
export function datasetSections(context: PageContext, parts: DatasetPageParts): readonly Section[] {
  const { locale } = context;
  const { dataset, version, isVersionPage, preview, reason, profile, queries, others, map, chart, changes } = parts;
  const path = apiPath(isVersionPage && version ? refOf(version) : refOf(dataset));
  const rowsPath = hrefOfRef(context, isVersionPage && version ? refOf(version) : refOf(dataset), 'data/');
  const profiles = profilesByColumn(version, profile);
  const rows = profile?.rows ?? version?.rows ?? 0;
  const count = locale.text(rowCountKey(version, dataset.columns), { count: rows });
  const section = (id: string, title: string, note: string, content: ComponentChildren): Section => ({
    id,
    title,
    note,
    content,
  });
  return [
    ...(map === undefined
      ? []
      : [
          section(
            'map',
            locale.text('map'),
            count,
            <DatasetMap {...{ context, path, shown: map, columns: dataset.columns.filter(mayColour) }} />,
          ),
        ]),
    ...(chart
      ? [
          section(
            'chart',
            locale.text('chart'),
            locale.text('chartNote', {
              value: chart.value.label || chart.value.name,
              time: chart.time.label || chart.time.name,
            }),
            <ChartFigure {...{ context, chart, rowsPath }} />,
          ),
        ]
      : []),
    ...(version?.ready
      ? [
          section(
            'rows',
            locale.text('rows'),
            preview && rows > 0 ? countOfFirstRows(locale, preview, rows) : '',
            <>
              <FirstRows
                {...{ context, rowsPath, rows, preview, reason }}
                columns={dataset.columns.length}
                noRows={locale.text('noRowsAtAll')}
              />
              {parts.filePreview && (
                <FileLook
                  context={context}
                  preview={parts.filePreview}
                  path={`${path}download/${downloadFileName(version, !isVersionPage)}`}
                  label={dataset.label}
                />
              )}
            </>,
          ),
        ]
      : []),
    ...(dataset.columns.length
      ? [
          {
            id: 'columns',
            title: locale.text('columns'),
            note: noteOfColumns(context, parts, count),
            ...columnList(context, parts, profiles),
          },
        ]
      : []),
    ...(dataset.versions.length
      ? [
          section(
            'versions',
            locale.text('versions'),
            locale.text('newestFirstNote', { count: dataset.versions.length }),
            <VersionList {...{ context, dataset, changes }} shown={version} />,
          ),
        ]
      : []),
    ...(version?.ready && hasCountedRows(version)
      ? [
          section(
            'use',
            locale.text('useIt'),
            locale.text('copyPasteRun'),
            <UseDataset context={context} {...parts} profiles={profiles} />,
          ),
        ]
      : []),
    section('licence', locale.text('licenceAndCiting'), '', <LicenceAndCiting {...{ context, dataset, version }} />),
    ...(parts.history.length
      ? [
          section(
            'history',
            locale.text('historyPart'),
            locale.text('historyFromGit'),
            <>
              <CommitList context={context} commits={parts.history} />
              <p class="after">
                <a href={hrefOfRef(context, refOf(dataset), 'history/')}>{locale.text('wholeHistory')}</a>
              </p>
            </>,
          ),
        ]
      : []),
    ...(queries.length
      ? [section('queries', locale.text('queriesAboutIt'), '', <Records context={context} records={queries} />)]
      : []),
    ...(others.length
      ? [section('others', locale.text('othersFromHere'), '', <Records context={context} records={others} />)]
      : []),
  ];
}

/** How many columns there are, if they are measured or soon will be; else how many rows. */
function noteOfColumns({ locale }: PageContext, { dataset, profile, version, reason }: DatasetPageParts, rows: string) {
  const { length: count } = dataset.columns;
  if (profile) return locale.text('asMeasured', { count });
  return version?.ready && reason === '' ? locale.text('notMeasuredYet', { count }) : rows;
}

/** The list of columns: kept for as long as it shows the same; for a file, rendered with the page. */
function columnList(
  context: PageContext,
  parts: DatasetPageParts,
  profiles: ReadonlyMap<string, Partial<ColumnProfile>>,
): Pick<Section, 'content' | 'html'> {
  const { locale } = context;
  const { dataset, version, isVersionPage, profile } = parts;
  const ref = isVersionPage && version ? refOf(version) : refOf(dataset);
  const rowsPath = hrefOfRef(context, ref, 'data/');
  // The list is kept for all readers: no address in it has the parameters of this one.
  const jsonHref = hrefOfRef(context, ref, '?format=json');
  const rows = profile?.rows ?? version?.rows ?? 0;
  const columnHref = (name: string) => {
    const present = parts.columnPages.has(name) ? name : nameAfterRename(dataset.former_names, name);
    if (present === undefined || !parts.columnPages.has(present)) return undefined;
    const page = columnPath(refOf(dataset), present);
    return context.hasFile?.(page) === false ? undefined : hrefOf(context, page);
  };
  const list = () => (
    <>
      <TooLargeToFilter context={context} path={`${apiPath(ref)}data/`} />
      <ColumnList {...{ context, columns: dataset.columns, profiles, rows, rowsPath, jsonHref, columnHref }} />
    </>
  );
  // Of a file, the rule of static pages changes the elements before they are rendered.
  if (context.isExport) return { content: list() };
  const key = `columns ${locale.language} ${rowsPath}`;
  return { html: () => keptHtml(key, [version, profile, ...dataset.columns], list) };
}

/** True for a column by which a map may be coloured. */
const mayColour = ({ type }: Column): boolean => !['geometry', 'object', 'array'].includes(type);

function UseDataset({
  context,
  dataset,
  version,
  isVersionPage,
  state,
  profiles,
}: DatasetPageParts & {
  readonly context: PageContext;
  readonly profiles: ReadonlyMap<string, Partial<ColumnProfile>>;
}): VNode {
  const ref = isVersionPage && version ? refOf(version) : refOf(dataset);
  return (
    <UseIt
      context={context}
      source={{
        address: absoluteUrl(context, `${apiPath(ref)}data`),
        query: '',
        name: dataset.slug,
        hasGeometry: dataset.columns.some(({ type }) => type === 'geometry'),
        isPrivate: state.isPrivate,
        textColumns: columnsThatLookTyped(dataset.columns, profiles),
        subject: formatRef(ref),
        title: dataset.label,
        server: context.base,
      }}
    />
  );
}

/** Links to queries or datasets, with the beginning of what they are. */
function Records({
  context,
  records,
}: {
  readonly context: PageContext;
  readonly records: readonly (Query | Dataset)[];
}): VNode {
  return (
    <ul class="log">
      {records.map((record) => (
        <li key={record.id}>
          <a href={hrefOfRef(context, refOf(record))} dir="auto">
            {record.label}
          </a>
          <span dir="auto">{firstParagraph(record.description, 160)}</span>
        </li>
      ))}
    </ul>
  );
}
