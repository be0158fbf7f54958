/**
 * The rows of a static export: the page of rows as the server would show it for the address, made in the browser by the same
 * functions, and its rows as files.
 */
import type { VersionProfile } from '../src/catalogue/column-statistics.ts';
import { NotFoundError, ValidationError } from '../src/catalogue/errors.ts';
import { parametersFromRecord, partParameters, withExactNames } from '../src/catalogue/row-parameters.ts';
import { runAtOnce } from '../src/catalogue/steps.ts';
import type { Settings } from '../src/catalogue/types.ts';
import { findRowsPage } from '../src/pages/find-rows.ts';
import { languageForTag, localeFor } from '../src/pages/locale.ts';
import { hrefOf, type PageContext } from '../src/pages/page-context.ts';
import { renderProblemPage } from '../src/pages/problem.tsx';
import { queryOfAreaForm, queryOfRowForms } from '../src/pages/row-forms.ts';
import { renderRowsPage } from '../src/pages/rows.tsx';
import { factsFrom, filesOfRows, type ShownRows } from '../src/pages/rows-in-files.tsx';
import { type MemoryRows, openRows, type SavedFormat } from './memory-rows.ts';
import { ComparedByServer } from './without-geos.ts';

export { ComparedByServer };

export interface OpenRows {
  readonly shown: ShownRows;
  readonly profile: VersionProfile;
  readonly rows: MemoryRows;
}

/** @param ndjson content of the version's `data.ndjson`; `profile` is that of `profile/index.json` */
export const makeRows = (shown: ShownRows, profile: VersionProfile, ndjson: string): OpenRows => ({
  ...{ shown, profile, rows: openRows(shown, profile, ndjson) },
});

/** All parameters of the rows: those of the saved query come first, those of the address behind them. */
const parametersOf = ({ shown }: OpenRows, query: URLSearchParams) => [
  ...parametersFromRecord(shown.query?.parameters ?? {}),
  ...withExactNames(query, shown.dataset.columns).filter(([name]) => !/^_?format$/.test(name)),
];

/** The page of the rows for an address, or of what is wrong with it, as HTML. @param path without the prefix of the site */
export async function renderRows(open: OpenRows, path: string, query: URLSearchParams, language: string) {
  const { shown, profile, rows } = open;
  const locale = localeFor(languageForTag(language) ?? 'en');
  const context: PageContext = {
    settings: { ...shown.settings, footer: {}, logo: '', accent: '' } as unknown as Settings,
    ...{ locale, base: shown.base, path, query, assets: '', today: '', isExport: true, username: null },
    filteringOf: (one) => (one === path ? 'inBrowser' : undefined),
  };
  try {
    return runAtOnce(
      renderRowsPage(context, await findRowsPage(rows, factsFrom(shown, profile), parametersOf(open, query))),
    );
  } catch (error) {
    if (error instanceof ValidationError) return renderProblemPage(context, { status: 400, messages: error.fields });
    if (error instanceof NotFoundError)
      return renderProblemPage(context, { status: 404, messages: { detail: error.message } });
    if (error instanceof ComparedByServer)
      return renderProblemPage(context, { status: 400, messages: { detail: locale.text('comparedByServer') } });
    throw error;
  }
}

let opening: Promise<OpenRows> | undefined;

/** The rows of the page, read once. */
function openPage(): Promise<OpenRows> {
  opening ??= readPage();
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

async function readPage(): Promise<OpenRows> {
  const shown = JSON.parse(document.querySelector('#rows')?.textContent ?? '') as ShownRows;
  const files = filesOfRows(shown.version);
  const [profile, rows] = await Promise.all([
    readFile(shown, files.profile).then((response) => response.json() as Promise<VersionProfile>),
    readFile(shown, files.rows).then((response) => response.text()),
  ]);
  return makeRows(shown, profile, rows);
}

async function readFile({ base }: ShownRows, path: string): Promise<Response> {
  const response = await fetch(hrefOf({ base }, path));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

/** Shows the rows that the address asks for. What a form sends becomes the parameters that it stands for. */
export async function showRows(): Promise<void> {
  const { search: asked } = location;
  const open = await openPage();
  // Another address has been asked for meanwhile, which that of a form must not replace.
  if (location.search !== asked) return;
  const sent = new URLSearchParams(asked);
  const locale = localeFor(languageForTag(document.documentElement.lang) ?? 'en');
  const plain =
    queryOfRowForms(sent, locale, open.shown.dataset.columns) ??
    queryOfAreaForm(sent, locale, open.shown.dataset.columns);
  if (plain !== null) history.replaceState(null, '', location.pathname + plain);
  const path = location.pathname.slice(hrefOf(open.shown, '').length);
  const { search } = location;
  const html = await renderRows(open, path, new URLSearchParams(search), document.documentElement.lang);
  // Another address has been asked for meanwhile.
  if (search !== location.search) return;
  const page = new DOMParser().parseFromString(html, 'text/html');
  document.querySelector('#main')?.replaceChildren(...(page.querySelector('#main')?.childNodes ?? []));
  document.title = page.title;
}

/** Saves the rows that the address asks for, all of its pages, as a file. */
export async function saveRows(format: SavedFormat): Promise<void> {
  const open = await openPage();
  const query = withExactNames(new URLSearchParams(location.search), open.shown.dataset.columns);
  const whole = query.filter(([name]) => !partParameters.includes(name));
  const csv = await readFile(open.shown, filesOfRows(open.shown.version).csv).then((response) => response.text());
  const parameters = parametersOf(open, new URLSearchParams(whole));
  const chunks = await open.rows.write(format, parameters, csv.split('\r\n', 1)[0] ?? '');
  const { dataset, version, query: saved } = open.shown;
  const extension = { csv: 'csv', excel: 'csv', objects: 'json', ndjson: 'ndjson' }[format];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(chunks));
  link.download = `${saved?.slug ?? `${dataset.slug}-${version.slug}`}.${extension}`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
