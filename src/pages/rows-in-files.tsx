/** Rows in an export: what the browser needs to filter them, and what the pages say where it can't. */
import type { VNode } from 'preact';
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Query, Settings, Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { jsonInHtml } from './html.ts';
import { hrefOf, type PageContext } from './page-context.ts';

/** What a page of rows shows besides rows. */
export interface RowsFacts {
  readonly dataset: Dataset;
  /** Label of the namespace. */
  readonly namespace: string;
  /** True if not everybody sees the dataset. */
  readonly isPrivate: boolean;
  readonly version: Version;
  readonly isVersionPage: boolean;
  /** The saved query whose rows these are. */
  readonly query: Query | null;
  readonly profile: VersionProfile | null;
}

/** What a page of rows is made of, besides the rows and their profile: content of the script `#rows`, as JSON. */
export interface ShownRows {
  readonly base: string;
  readonly settings: Pick<Settings, 'title' | 'page_size' | 'max_page_size'>;
  readonly namespace: string;
  readonly dataset: Pick<Dataset, 'kind' | 'namespace' | 'slug' | 'label' | 'columns' | 'former_names'>;
  readonly version: Pick<Version, 'kind' | 'namespace' | 'dataset' | 'slug' | 'datetime' | 'rows'>;
  readonly query: Pick<Query, 'slug' | 'label' | 'parameters' | 'version'> | null;
  readonly isVersionPage: boolean;
}

/** Paths of the rows and of the profile of a version, as files. */
export const filesOfRows = (version: ShownRows['version']) => {
  const path = apiPath(refOf(version));
  return { rows: `${path}data.ndjson`, csv: `${path}data.csv`, profile: `${path}profile/index.json` };
};

/** @param parts as the page shows them */
function shownRowsOf({ base, settings }: PageContext, parts: RowsFacts): ShownRows {
  const { title, page_size, max_page_size } = settings;
  const { kind, namespace, slug, label, columns, former_names } = parts.dataset;
  const { version, query } = parts;
  return {
    base,
    settings: { title, page_size, max_page_size },
    namespace: parts.namespace,
    dataset: { kind, namespace, slug, label, columns, former_names },
    version: {
      ...{ kind: version.kind, namespace: version.namespace, dataset: version.dataset, slug: version.slug },
      ...{ datetime: version.datetime, rows: version.rows },
    },
    query: query && { slug: query.slug, label: query.label, parameters: query.parameters, version: query.version },
    isVersionPage: parts.isVersionPage,
  };
}

/** The facts of `shownRowsOf`, for the script of the pages. It has a message for the case that the rows don't come; without script, a note. */
export function RowsForScript({ context, parts }: { readonly context: PageContext; readonly parts: RowsFacts }): VNode {
  const { locale } = context;
  const json = jsonInHtml(shownRowsOf(context, parts));
  return (
    <>
      <p class="note no-js">{locale.text('searchNeedsScript')}</p>
      <script
        id="rows"
        type="application/json"
        data-failed={locale.text('rowsDidNotCome')}
        dangerouslySetInnerHTML={{ __html: json }}
      />
    </>
  );
}

interface TooLargeProps {
  readonly context: PageContext;
  /** Path of the rows: `…/data/`. */
  readonly path: string;
}

/** Says of rows of an export that they are too large to be filtered; nothing of others. */
export function TooLargeToFilter({ context, path }: TooLargeProps): VNode | null {
  if (context.filteringOf?.(path) !== 'tooLarge') return null;
  const csv = hrefOf(context, path.replace(/\/$/, '.csv'));
  return <p class="s soft">{context.locale.fill('rowsTooLarge', { file: <a href={csv}>CSV</a> })}</p>;
}

/** The facts of a page of rows, from the script `#rows`. The type of records is that of pages, which need no more of them here. */
export const factsFrom = (shown: ShownRows, profile: RowsFacts['profile']): RowsFacts => ({
  // An export is what everybody sees.
  ...{ namespace: shown.namespace, isPrivate: false, profile, isVersionPage: shown.isVersionPage },
  dataset: shown.dataset as Dataset,
  version: shown.version as Version,
  query: shown.query as Query | null,
});
