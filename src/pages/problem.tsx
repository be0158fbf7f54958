/** Pages of requests that failed: what is wrong, and where to go instead. */
import type { VNode } from 'preact';
import type { FileProblems } from '../catalogue/diagnostic.ts';
import { ProblemFiles } from './dataset-notes.tsx';
import { renderPage } from './layout.tsx';
import { hrefOf, hrefOfSearch, hrefWith, type PageContext } from './page-context.ts';
import type { TextKey } from './texts/english.ts';

export interface ProblemParts {
  readonly status: number;
  /** Messages by parameter or field; `detail` and `non_field_errors` are about the request as a whole. */
  readonly messages: Readonly<Record<string, unknown>>;
  /** Paths of this site that may have been meant, with their labels. */
  readonly suggestions?: readonly { readonly path: string; readonly label: string }[];
  /** Files with problems, because of which there is nothing, for those who may write them. */
  readonly files?: readonly FileProblems[];
  /** Seconds to wait before the next attempt. */
  readonly seconds?: number | null;
}

const titles: Readonly<Record<number, TextKey>> = {
  400: 'problem400',
  401: 'problem401',
  403: 'problem403',
  404: 'problem404',
  405: 'problem405',
  409: 'problem409',
  412: 'problem409',
  429: 'problem429',
  500: 'problem500',
  503: 'problem503',
};

/** The message of Django REST Framework, which says no more than the title. */
const notFoundDetail = 'Not found.';

/** The message of a list that ends before the page that was asked for. */
const noPageDetail = 'Invalid page.';

/** Names of messages about the request as a whole. */
const general: readonly string[] = ['detail', 'non_field_errors', 'reason', 'override'];

export function renderProblemPage(context: PageContext, parts: ProblemParts): string {
  const { locale } = context;
  const { status, messages, suggestions = [], files = [], seconds = null } = parts;
  const title = locale.text(titles[status] ?? 'problemOther');
  const entries = Object.entries(messages).map(([name, texts]) => ({
    name: nameInAddress(context, name),
    texts: [texts].flat().map(textOf),
  }));
  const named = entries.filter(({ name }) => !general.includes(name));
  return renderPage(context, {
    title: `${status}: ${title}`,
    isHidden: true,
    json: null,
    children: (
      <div class="problem">
        <p class="status">{status}</p>
        <h1>{title}</h1>
        {entries
          .filter(({ name }) => name === 'detail' || name === 'non_field_errors')
          .flatMap(({ texts }) => texts)
          .filter((text) => status !== 404 || (text !== notFoundDetail && text !== noPageDetail))
          .map((text) => (
            <p key={text} class="prose" dir="auto" lang={locale.langOf(text)}>
              {text}
            </p>
          ))}
        {messages.detail === noPageDetail && (
          <p class="prose">
            {locale.text('noSuchPage', { page: context.query.get('page') ?? '' })}{' '}
            <a href={hrefWith(context, { page: null })}>{locale.text('toFirstPage')}</a>
          </p>
        )}
        {named.length > 0 && (
          <dl class="facts wrong">
            {named.map(({ name, texts }) => (
              <div key={name}>
                <dt>
                  <code dir="auto">{name}</code>
                </dt>
                <dd dir="auto">
                  <span lang={locale.langOf(texts.join(' '))}>{texts.join(' ')}</span>
                  {context.query.has(name) && (
                    <>
                      <br />
                      <a href={hrefWith(context, { [name]: null })}>{locale.text('withoutParameter', { name })}</a>
                    </>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {status === 400 && named.some(({ name }) => context.query.has(name)) && (
          <p class="soft">{locale.text('nothingWasFiltered')}</p>
        )}
        {status === 500 && <p class="soft">{locale.text('problemIsLogged')}</p>}
        {seconds !== null && <p>{locale.text('tryAgainIn', { count: seconds })}</p>}
        <ProblemFiles context={context} files={files} />
        <Suggestions context={context} suggestions={suggestions} />
        {status === 401 && (
          <p>
            <a
              class="btn main"
              href={hrefOf(context, `/auth/login/?next=${encodeURIComponent(hrefWith(context, {}))}`)}
            >
              {locale.text('logIn')}
            </a>
          </p>
        )}
        {status === 404 && (
          <p>
            {locale.fill('searchInstead', { link: <a href={hrefOfSearch(context)}>{locale.text('allDatasets')}</a> })}
          </p>
        )}
      </div>
    ),
  });
}

/** The name of a parameter as the address has it: filters of columns that are called like parameters are renamed (`limit__exact`). */
function nameInAddress({ query }: PageContext, name: string): string {
  const plain = name.replace(/__exact$/, '');
  return !query.has(name) && query.has(plain) ? plain : name;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Suggestions({
  context,
  suggestions,
}: Required<Pick<ProblemParts, 'suggestions'>> & { readonly context: PageContext }): VNode | null {
  if (suggestions.length === 0) return null;
  return (
    <ul class="near">
      {suggestions.map(({ path, label }) => (
        <li key={path}>
          {context.locale.fill('nearestAddress', {
            link: (
              <a href={hrefOf(context, path)} dir="auto">
                {label}
              </a>
            ),
          })}
        </li>
      ))}
    </ul>
  );
}
