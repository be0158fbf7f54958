/**
 * The search of a static export: the lists of datasets as the server would show them for the address, made in the browser by the
 * same functions, over a summary in parts.
 */
import { NotFoundError, ValidationError } from '../src/catalogue/errors.ts';
import { listPage } from '../src/catalogue/listing.ts';
import { refOf } from '../src/catalogue/ref.ts';
import { type Summary, type SummaryPart, snapshotFromSummary, summaryParts } from '../src/catalogue/search-summary.ts';
import type { Snapshot } from '../src/catalogue/snapshot.ts';
import { runAtOnce } from '../src/catalogue/steps.ts';
import { findDatasets, suggestDatasets } from '../src/pages/find-datasets.ts';
import { renderSearchPage } from '../src/pages/home.tsx';
import { languageForTag, localeFor } from '../src/pages/locale.ts';
import { hrefOfRef, type PageContext } from '../src/pages/page-context.ts';
import { renderProblemPage } from '../src/pages/problem.tsx';
import { queryOfAreaForm } from '../src/pages/row-forms.ts';
import { parseListOptions } from '../src/server/query-string.ts';

type Known = Partial<Summary> & Pick<Summary, 'labels'>;

const reading = new Map<SummaryPart, Promise<unknown>>();

/** A part of the summary; read once. */
function readPart<P extends SummaryPart>(part: P): Promise<Summary[P]> {
  const known = reading.get(part) ?? fetchPart(part);
  reading.set(part, known);
  known.catch(() => reading.delete(part));
  return known as Promise<Summary[P]>;
}

async function fetchPart(part: SummaryPart): Promise<unknown> {
  const response = await fetch(`${document.body.dataset.search}${part}.json`);
  if (!response.ok) throw new Error(`${part}: ${response.status}`);
  return response.json();
}

const catalogueOf = (snapshot: Snapshot) =>
  ({
    settings: snapshot.settings,
    list: async (kind, options) => listPage(snapshot, kind as 'dataset', options),
  }) as Parameters<typeof findDatasets>[0];

/** Datasets for a search that is being typed. */
export async function suggest(text: string) {
  const labels = await readPart('labels');
  const found = await suggestDatasets(catalogueOf(snapshotOf({ labels })), text);
  return found.map(({ dataset, namespace }) => ({
    label: dataset.label,
    namespace,
    url: new URL(hrefOfRef({ base: labels.base }, refOf(dataset)), location.href).href,
  }));
}

let last: { readonly count: number; readonly snapshot: Snapshot } | undefined;

/** The snapshot of the parts that are known; made once for each part more. */
function snapshotOf(known: Known): Snapshot {
  const count = Object.keys(known).length;
  if (!last || last.count < count) last = { count, snapshot: snapshotFromSummary(known) };
  return last.snapshot;
}

/** What the script of the pages does for the elements of a part of the page. */
type Prepare = (root: ParentNode) => void;

/**
 * Shows the list of datasets that the address asks for, or what is wrong with it: by labels as soon as they are enough to find one,
 * then by all texts.
 * @throws Error if a part of the summary can't be loaded
 */
export async function showSearch(prepare: Prepare): Promise<void> {
  const locale = localeFor(languageForTag(document.documentElement.lang) ?? 'en');
  const plain = queryOfAreaForm(new URLSearchParams(location.search), locale, null);
  if (plain !== null) history.replaceState(null, '', location.pathname + plain);
  const query = new URLSearchParams(location.search);
  const known: { -readonly [P in keyof Known]: Known[P] } = { labels: await readPart('labels') };
  const { base } = known.labels;
  const path = location.pathname.slice(new URL(base).pathname.replace(/\/$/, '').length);
  const namespace = /^\/api\/v1\/namespaces\/([^/]+)\/(?:datasets\/)?$/.exec(path)?.[1];
  for (const part of summaryParts) {
    Object.assign(known, { [part]: await readPart(part) });
    const snapshot = snapshotOf(known);
    const context: PageContext = {
      ...{ base, path, query, locale, settings: snapshot.settings, assets: '', isExport: true, username: null },
      today: new Date().toISOString().slice(0, 10),
    };
    const isLast = part === summaryParts.at(-1);
    try {
      const list = await findDatasets(catalogueOf(snapshot), parseListOptions('dataset', query, { namespace }));
      // Nothing is found yet: the other parts may have it.
      if (list.found.count > 0 || isLast) show(runAtOnce(renderSearchPage(context, list)), prepare, isLast);
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      // A page beyond the last may be there when all is known.
      if (problem.status === 404 && !isLast) continue;
      showProblem(renderProblemPage(context, problem), prepare);
      return;
    }
  }
}

/** What a server says of a request that it refuses; undefined for other errors. */
function problemOf(error: unknown) {
  if (error instanceof ValidationError) return { status: 400, messages: error.fields };
  if (error instanceof NotFoundError) return { status: 404, messages: { detail: error.message } };
  return undefined;
}

/** Shows a list in place of the one that is seen, and gives the field of the search its filters. */
function show(html: string, prepare: Prepare, isComplete: boolean): void {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const results = document.querySelector('.three');
  const found = page.querySelector('.three');
  if (!results || !found) return;
  if (!isComplete) found.setAttribute('aria-busy', 'true');
  results.replaceWith(found);
  prepare(found);
  document.title = page.title;
  const field = document.querySelector<HTMLInputElement>('#q');
  if (!field) return;
  if (document.activeElement !== field) field.value = new URLSearchParams(location.search).get('search') ?? '';
  for (const one of field.form?.querySelectorAll('[type=hidden]') ?? []) one.remove();
  field.form?.append(...page.querySelectorAll('.front [type=hidden]'));
}

function showProblem(html: string, prepare: Prepare): void {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const main = document.querySelector('#main');
  main?.replaceChildren(...(page.querySelector('#main')?.childNodes ?? []));
  if (main) prepare(main);
  document.title = page.title;
}
