/** The page of a dataset, or of one of its versions. */
import { hasCountedRows } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Steps } from '../catalogue/steps.ts';
import { apiPath } from '../catalogue/urls.ts';
import { catalogueFacts, type DatasetFacts, datasetFacts } from '../standards/facts.ts';
import { schemaOrgDataset } from '../standards/schema-org.ts';
import { datasetCrumbs } from './dataset-crumbs.ts';
import { DatasetLead } from './dataset-lead.tsx';
import { DatasetNotes } from './dataset-notes.tsx';
import type { DatasetPageParts } from './dataset-page-parts.ts';
import { datasetSections } from './dataset-sections.tsx';
import { dateOfVersion } from './figures.ts';
import { type PageParts, renderPageInSteps, renderPageStart } from './layout.tsx';
import { firstParagraph } from './markdown.ts';
import { hrefOfRef, type PageContext } from './page-context.ts';
import { Part } from './part.tsx';

/** The parts of a dataset's page that its head shows. */
export type DatasetHeadParts = Pick<DatasetPageParts, 'dataset' | 'namespace' | 'version' | 'isVersionPage'>;

/** The page up to its content. */
export const renderDatasetPageStart = (context: PageContext, parts: DatasetHeadParts): string =>
  renderPageStart(context, headOf(context, parts));

function headOf(context: PageContext, parts: DatasetHeadParts): Omit<PageParts, 'children'> {
  const { locale } = context;
  const { dataset, namespace, version, isVersionPage } = parts;
  const date = isVersionPage && version ? dateOfVersion(locale, version, dataset.versions) : null;
  return {
    title: date === null ? dataset.label : `${dataset.label}, ${date}`,
    description: firstParagraph(dataset.description),
    section: 'datasets',
    isWatched: true,
    feed: `${apiPath(refOf(dataset))}feed.atom`,
    ...(version?.ready &&
      hasCountedRows(version) &&
      // An export has the picture of the newest version only: each takes some tenths of a second.
      !(isVersionPage && context.isExport) && {
        picture: `${apiPath(refOf(isVersionPage ? version : dataset))}plate.png`,
      }),
    ...(!isVersionPage && context.base && { jsonLd: schemaOrgDataset(factsOf(context, parts)) }),
    crumbs: datasetCrumbs(context, dataset, namespace, date === null ? [] : [{ text: date }]),
  };
}

export function renderDatasetPage(context: PageContext, parts: DatasetPageParts): Steps<string> {
  const { locale } = context;
  const { dataset, version, isVersionPage } = parts;
  const sections = datasetSections(context, parts);
  return renderPageInSteps(context, { ...headOf(context, parts), isComplete: parts.isComplete }, [
    <DatasetNotes key="notes" context={context} {...parts} />,
    <DatasetLead key="lead" {...{ context, dataset, version, isVersionPage, sizes: parts.sizes }} />,
    parts.state.mayEdit && !isVersionPage && (
      <p key="edit" class="row">
        <a class="btn" href={`${hrefOfRef(context, refOf(dataset))}?_edit`} rel="nofollow">
          {locale.text('edit')}
        </a>
      </p>
    ),
    <nav key="toc" class="toc" aria-label={locale.text('onThisPage')}>
      <ul>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>,
    ...sections.map(({ id, title, note, content, html }) => (
      <Part key={id} {...{ id, title, note, html }}>
        {content}
      </Part>
    )),
  ]);
}

/** Columns that search engines get in the page; `schema.jsonld` has all. */
const mostMeasured = 500;

function factsOf({ settings, base }: PageContext, { dataset, namespace }: DatasetHeadParts): DatasetFacts {
  const { columns, visibility } = dataset;
  const shown = columns.length > mostMeasured ? { ...dataset, columns: columns.slice(0, mostMeasured) } : dataset;
  return datasetFacts(catalogueFacts(settings, base), shown, { label: namespace, visibility });
}
