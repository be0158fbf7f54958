/** The parts of the page of a dataset or of a version, as far as they have content. */
import type { ComponentChildren, VNode } from 'preact';
import { nameAfterRename } from '../catalogue/column-names.ts';
import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import { hasCountedRows } from '../catalogue/ready-versions.ts';
import { formatRef, type Ref, refOf } from '../catalogue/ref.ts';
import type { Column, Dataset, Query } from '../catalogue/types.ts';
import { apiPath, columnPath, downloadFileName } from '../catalogue/urls.ts';
import { ChartFigure } from './chart.tsx';
import { ColumnList } from './dataset-columns.tsx';
import { DatasetMap } from './dataset-map.tsx';
import type { DatasetPageParts } from './dataset-page-parts.ts';
import { VersionList } from './dataset-versions.tsx';
import { rowCountKey } from './figures.ts';
import { FileLook } from './file-preview.tsx';
import { countOfFirstRows, FirstRows } from './first-rows.tsx';
import { CommitList } from './history.tsx';
import { keptHtml } from './kept-html.ts';
import { LicenceAndCiting } from './licence-and-citing.tsx';
import { firstParagraph } from './markdown.ts';
import { absoluteUrl, hrefOf, hrefOfRef, type PageContext } from './page-context.ts';
import { profilesByColumn } from './preview-columns.ts';
import { TooLargeToFilter } from './rows-in-files.tsx';
import { columnsThatLookTyped } from './snippets.ts';
import { UseIt } from './use-it.tsx';

export interface Section {
  readonly id: string;
  readonly title: string;
  /** One measured note. */
  readonly note: string;
  readonly content?: ComponentChildren;
  /** Content that is rendered by itself, as HTML. */
  readonly html?: () => string;
}

/** Input of the sections. */
interface SectionInput {
  readonly context: PageContext;
  readonly parts: DatasetPageParts;
  /** The dataset, or the version if the page is that of a version. */
  readonly ref: Ref;
  /** Path of the API's object. */
  readonly path: string;
  /** Path of the page of rows. */
  readonly rowsPath: string;
  /** Number of rows. */
  readonly rows: number;
  /** Number of rows in words. */
  readonly rowsInWords: string;
  readonly profiles: ReadonlyMap<string, Partial<ColumnProfile>>;
}

/** Makes a section; null if it would be empty. */
type SectionMaker = (input: SectionInput) => Section | null;

/** The sections of the page that have content, in their order. */
export function datasetSections(context: PageContext, parts: DatasetPageParts): readonly Section[] {
  const { dataset, version, isVersionPage, profile } = parts;
  const ref = isVersionPage && version ? refOf(version) : refOf(dataset);
  const rows = profile?.rows ?? version?.rows ?? 0;
  const input = {
    context,
    parts,
    ref,
    path: apiPath(ref),
    rowsPath: hrefOfRef(context, ref, 'data/'),
    rows,
    rowsInWords: context.locale.text(rowCountKey(version, dataset.columns), { count: rows }),
    profiles: profilesByColumn(version, profile),
  };
  return sectionMakers.map((make) => make(input)).filter((section) => section !== null);
}

const mapSection: SectionMaker = ({ context, parts: { dataset, map }, path, rowsInWords }) => {
  if (map === undefined) return null;
  const columns = dataset.columns.filter(mayColour);
  return {
    id: 'map',
    title: context.locale.text('map'),
    note: rowsInWords,
    content: <DatasetMap {...{ context, path, shown: map, columns }} />,
  };
};

/** True for a column by which a map may be coloured. */
const mayColour = ({ type }: Column): boolean => !['geometry', 'object', 'array'].includes(type);

const chartSection: SectionMaker = ({ context, parts: { chart }, rowsPath }) => {
  if (!chart) return null;
  const { value, time } = chart;
  return {
    id: 'chart',
    title: context.locale.text('chart'),
    note: context.locale.text('chartNote', { value: value.label || value.name, time: time.label || time.name }),
    content: <ChartFigure {...{ context, chart, rowsPath }} />,
  };
};

const rowsSection: SectionMaker = ({ context, parts, path, rowsPath, rows }) => {
  const { locale } = context;
  const { dataset, version, isVersionPage, preview, reason, filePreview } = parts;
  if (!version?.ready) return null;
  return {
    id: 'rows',
    title: locale.text('rows'),
    note: preview && rows > 0 ? countOfFirstRows(locale, preview, rows) : '',
    content: (
      <>
        <FirstRows
          {...{ context, rowsPath, rows, preview, reason }}
          columns={dataset.columns.length}
          noRows={locale.text('noRowsAtAll')}
        />
        {filePreview && (
          <FileLook
            context={context}
            preview={filePreview}
            path={`${path}download/${downloadFileName(version, !isVersionPage)}`}
            label={dataset.label}
          />
        )}
      </>
    ),
  };
};

const columnsSection: SectionMaker = (input) => {
  const { context, parts } = input;
  if (parts.dataset.columns.length === 0) return null;
  return { id: 'columns', title: context.locale.text('columns'), note: noteOfColumns(input), ...columnList(input) };
};

/** The number of columns, if they are measured or soon will be; else the number of rows. */
function noteOfColumns({ context: { locale }, parts, rowsInWords }: SectionInput): string {
  const { dataset, profile, version, reason } = parts;
  const { length: count } = dataset.columns;
  if (profile) return locale.text('asMeasured', { count });
  return version?.ready && reason === '' ? locale.text('notMeasuredYet', { count }) : rowsInWords;
}

/** The list of columns. Its HTML is kept until the columns change; for a file, it is rendered with the page. */
function columnList({
  context,
  parts,
  ref,
  path,
  rowsPath,
  rows,
  profiles,
}: SectionInput): Pick<Section, 'content' | 'html'> {
  const { dataset, version, profile, columnPages } = parts;
  // The list is kept for all readers: no address in it has the parameters of this one.
  const jsonHref = hrefOfRef(context, ref, '?format=json');
  const columnHref = (name: string) => {
    const present = columnPages.has(name) ? name : nameAfterRename(dataset.former_names, name);
    if (present === undefined || !columnPages.has(present)) return undefined;
    const page = columnPath(refOf(dataset), present);
    return context.hasFile?.(page) === false ? undefined : hrefOf(context, page);
  };
  const list = () => (
    <>
      <TooLargeToFilter context={context} path={`${path}data/`} />
      <ColumnList {...{ context, columns: dataset.columns, profiles, rows, rowsPath, jsonHref, columnHref }} />
    </>
  );
  // Of a file, the rule of static pages changes the elements before they are rendered.
  if (context.isExport) return { content: list() };
  const key = `columns ${context.locale.language} ${rowsPath}`;
  return { html: () => keptHtml(key, [version, profile, ...dataset.columns], list) };
}

const versionsSection: SectionMaker = ({ context, parts: { dataset, version, changes } }) => {
  const { length: count } = dataset.versions;
  if (count === 0) return null;
  return {
    id: 'versions',
    title: context.locale.text('versions'),
    note: context.locale.text('newestFirstNote', { count }),
    content: <VersionList {...{ context, dataset, changes }} shown={version} />,
  };
};

const useSection: SectionMaker = ({ context, parts: { dataset, version, state }, ref, path, profiles }) => {
  if (!version?.ready || !hasCountedRows(version)) return null;
  const source = {
    address: absoluteUrl(context, `${path}data`),
    query: '',
    name: dataset.slug,
    hasGeometry: dataset.columns.some(({ type }) => type === 'geometry'),
    isPrivate: state.isPrivate,
    textColumns: columnsThatLookTyped(dataset.columns, profiles),
    subject: formatRef(ref),
    title: dataset.label,
    server: context.base,
  };
  return {
    id: 'use',
    title: context.locale.text('useIt'),
    note: context.locale.text('copyPasteRun'),
    content: <UseIt context={context} source={source} />,
  };
};

const licenceSection: SectionMaker = ({ context, parts: { dataset, version } }) => ({
  id: 'licence',
  title: context.locale.text('licenceAndCiting'),
  note: '',
  content: <LicenceAndCiting {...{ context, dataset, version }} />,
});

const historySection: SectionMaker = ({ context, parts: { dataset, history } }) => {
  const { locale } = context;
  if (history.length === 0) return null;
  return {
    id: 'history',
    title: locale.text('historyPart'),
    note: locale.text('historyFromGit'),
    content: (
      <>
        <CommitList context={context} commits={history} />
        <p class="after">
          <a href={hrefOfRef(context, refOf(dataset), 'history/')}>{locale.text('wholeHistory')}</a>
        </p>
      </>
    ),
  };
};

const queriesSection: SectionMaker = ({ context, parts: { queries } }) => {
  if (queries.length === 0) return null;
  const content = <Records context={context} records={queries} />;
  return { id: 'queries', title: context.locale.text('queriesAboutIt'), note: '', content };
};

const othersSection: SectionMaker = ({ context, parts: { others } }) => {
  if (others.length === 0) return null;
  const content = <Records context={context} records={others} />;
  return { id: 'others', title: context.locale.text('othersFromHere'), note: '', content };
};

const sectionMakers: readonly SectionMaker[] = [
  mapSection,
  chartSection,
  rowsSection,
  columnsSection,
  versionsSection,
  useSection,
  licenceSection,
  historySection,
  queriesSection,
  othersSection,
];

/** Links to queries or datasets, with the beginning of their descriptions. */
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
