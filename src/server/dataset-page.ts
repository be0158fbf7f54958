/** Pages of a dataset, of a version, and of a query: what they show beside the entity itself. */

import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Column, Dataset, Version, WorkBudget } from '../catalogue/types.ts';
import type { DatasetHeadParts } from '../pages/dataset.tsx';
import type { ShownMap } from '../pages/dataset-map.tsx';
import type { DatasetPageParts } from '../pages/dataset-page-parts.ts';
import { shownVersions } from '../pages/dataset-versions.tsx';
import { shownVersion } from '../pages/figures.ts';
import { keepLast } from '../pages/keep-last.ts';
import { historySoon } from './dataset-history.ts';
import { datasetState } from './dataset-state.ts';
import type { DifferenceFigureStore } from './difference-figures.ts';
import { previewFile } from './file-preview.ts';
import { firstLook } from './first-look.ts';
import { queriesAbout } from './queried-dataset.ts';
import type { StaticExport } from './route.ts';
import { isNotReady, patienceOf, soon } from './soon.ts';

/** Other datasets that a page leads to. */
export const mostOthers = 3;

export interface DatasetPageOptions {
  /** The version of the page; undefined for the dataset's own. */
  readonly version?: Version | undefined;
  /** The column that colours the map. */
  readonly colour?: string | null;
  readonly figures: DifferenceFigureStore;
  readonly viewer: Viewer;
  /** True if the server refuses all writes. */
  readonly isReadOnly: boolean;
  /** Of an app whose pages become files. */
  readonly staticExport?: StaticExport | null;
  /** Limits the work for the map. */
  readonly budget: WorkBudget;
}

/** Parts that the head of a dataset's page shows. @param version of the page; undefined for the dataset's own */
export async function datasetHeadParts(
  catalogue: Catalogue,
  dataset: Dataset,
  version: Version | undefined,
): Promise<DatasetHeadParts> {
  const shown = version ?? shownVersion(dataset);
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug: dataset.namespace }).catch(() => null);
  return {
    dataset: shown ? datasetWithColumnsOf(dataset, shown) : dataset,
    namespace: namespace?.label ?? dataset.namespace,
    version: shown,
    isVersionPage: version !== undefined,
  };
}

/** What the page of a dataset shows. */
export async function datasetPageParts(
  catalogue: Catalogue,
  dataset: Dataset,
  { version, colour = null, figures, viewer, isReadOnly, staticExport = null, budget }: DatasetPageOptions,
): Promise<Omit<DatasetPageParts, 'chart'>> {
  const shown = version ?? shownVersion(dataset);
  const wait = patienceOf({ staticExport });
  const [namespace, queries, others, table, map, changes] = await Promise.all([
    catalogue.get<'namespace'>({ kind: 'namespace', slug: dataset.namespace }).catch(() => null),
    queriesAbout(catalogue, dataset),
    version ? [] : othersFromHere(catalogue, dataset),
    shown?.ready
      ? firstLook(catalogue, datasetWithColumnsOf(dataset, shown), shown, wait)
      : { profile: null, preview: null, reason: '', isComplete: true },
    shown?.ready
      ? mapSoon(catalogue, datasetWithColumnsOf(dataset, shown), shown, { colour, wait, budget })
      : undefined,
    changesSoon(catalogue, dataset, figures, staticExport ? Number.POSITIVE_INFINITY : patienceForChanges),
  ]);
  // A static export is the same whatever the cache holds.
  const sizes = (shown?.ready && !staticExport && (await catalogue.fileSizes?.(shown))) || new Map<string, number>();
  const { isComplete: hasRows, ...look } = table;
  const isVersionPage = version !== undefined;
  const state = await datasetState(catalogue, viewer, { dataset, namespace, shown, isVersionPage, isReadOnly });
  const filePreview = shown?.ready && shown.rows === null && look.reason ? await previewFile(catalogue, shown) : null;
  // A clone of few commits would have another history.
  const history = staticExport ? [] : await historySoon(catalogue, viewer, dataset, namespace);
  const isComplete = history !== null && hasRows && map !== null && ![...changes.values()].includes('comparing');
  return {
    ...look,
    dataset: shown ? datasetWithColumnsOf(dataset, shown) : dataset,
    namespace: namespace?.label ?? dataset.namespace,
    columnPages: columnsWithPage(dataset),
    version: shown,
    isVersionPage,
    queries,
    others,
    map,
    changes,
    state,
    filePreview,
    sizes,
    history: history ?? [],
    isComplete,
  };
}

/** Names of the columns that have a page: those of the version that the dataset's page shows. Browsers take `.` and `..` out of addresses. */
const columnsWithPage = keepLast((dataset: Dataset): ReadonlySet<string> => {
  const columns = shownVersion(dataset)?.columns ?? dataset.columns;
  return new Set(columns.map(({ name }) => name).filter((name) => name !== '.' && name !== '..'));
});

/** Milliseconds that a page waits for versions that are being compared. */
const patienceForChanges = 200;

/** Changes of the versions that the page shows, each since the version before, as far as they are known soon. */
async function changesSoon(catalogue: Catalogue, dataset: Dataset, figures: DifferenceFigureStore, wait: number) {
  const pairs = dataset.versions.slice(0, shownVersions).flatMap((to) => {
    const from = to.ready ? readyVersionBefore(dataset, to.slug) : undefined;
    return from ? [{ from, to, dataset }] : [];
  });
  const request = () => new Map(pairs.map((pair) => [pair.to.slug, figures.request(catalogue, pair)]));
  if (![...request().values()].includes('comparing')) return request();
  await figures.settle(wait);
  return request();
}

/** The dataset with the columns of one of its versions, described as far as they are the newest's. The same object each time. */
export const datasetWithColumnsOf = (dataset: Dataset, version: Version): Dataset => combine(version, dataset);

const combine = keepLast((version: Version, dataset: Dataset): Dataset => {
  const own = version.columns;
  if (!own) return dataset;
  const described = new Map([...dataset.missing_columns, ...dataset.columns].map((column) => [column.name, column]));
  const columns = own.map(
    ({ name, type }): Column => ({ label: '', description: '', unit: '', ...described.get(name), name, type }),
  );
  return { ...dataset, columns };
});

/** Other datasets that the viewer sees, of the same namespace or with a keyword of this one; those with most in common first. */
async function othersFromHere(catalogue: Catalogue, dataset: Dataset): Promise<readonly Dataset[]> {
  const pageSize = mostOthers + 1;
  const { keywords, namespace } = dataset;
  const [alike, near] = await Promise.all([
    keywords.length ? catalogue.list('dataset', { filters: { keyword: keywords }, pageSize }) : { items: [] },
    catalogue.list('dataset', { namespace, pageSize }),
  ]);
  const found = new Map([...alike.items, ...near.items].map((other) => [other.id, other]));
  found.delete(dataset.id);
  const kinship = (other: Dataset) =>
    other.keywords.filter((keyword) => keywords.includes(keyword)).length + (other.namespace === namespace ? 1 : 0);
  return [...found.values()].sort((a, b) => kinship(b) - kinship(a)).slice(0, mostOthers);
}

/** What the map of a version shows; null if it isn't drawn soon, undefined if there is none. */
async function mapSoon(
  catalogue: Catalogue,
  dataset: Dataset,
  version: Version,
  { colour, wait, budget }: { readonly colour: string | null; readonly wait: number; readonly budget: WorkBudget },
): Promise<ShownMap | null | undefined> {
  if (!dataset.columns.some(({ type }) => type === 'geometry')) return undefined;
  const draw = async () => {
    const parameters: [string, string][] = colour ? [['_colour', colour]] : [];
    const map = await catalogue.map(refOf(version), { parameters, budget });
    if (!map.hasGeometry) return undefined;
    const { counts, legend } = await map.picture();
    return { counts, legend };
  };
  try {
    return await soon(draw(), wait);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    if (isNotReady(error)) return null;
    throw error;
  }
}

/** The path of the differences that the form of a dataset's page asks for: `?_from=…&_to=…`. @throws ValidationError */
export function pathOfComparison(dataset: Dataset, query: URLSearchParams): string | null {
  const [from, to] = ['_from', '_to'].map((name) => query.get(name));
  if (!from || !to) return null;
  const known = dataset.versions.map(({ slug }) => slug);
  for (const [name, slug] of [
    ['_from', from],
    ['_to', to],
  ] as const)
    if (!known.includes(slug)) throw new ValidationError({ [name]: ['There is no such version.'] });
  const older = known.indexOf(from) > known.indexOf(to);
  const [first, second] = older ? [from, to] : [to, from];
  return `version/${second}/diff/?_from=${first}`;
}
