/** The frame of every page: header, neatline, breadcrumbs, title, foot. */
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { mediaPathInUrl } from '../catalogue/layout.ts';
import type { Steps } from '../catalogue/steps.ts';
import { apiRoot, collections, documentationRoot } from '../catalogue/urls.ts';
import { Head, type HeadParts } from './head.tsx';
import { replaceForbidden } from './html.ts';
import { hrefOf, hrefOfSearch, hrefWith, type PageContext } from './page-context.ts';
import { renderStatically } from './static-page.ts';

/** A link in the breadcrumbs; without an address, the present page. */
export interface Crumb {
  readonly text: string;
  readonly href?: string;
}

export interface PageParts extends HeadParts {
  readonly crumbs?: readonly Crumb[];
  /** Section of the site that the page belongs to. */
  readonly section?: 'datasets' | 'namespaces' | 'queries' | 'api';
  /** False if the page has a large field for searching itself. */
  readonly hasSearch?: boolean;
  /** True for a page in a frame on a page of others, without head and foot. */
  readonly isEmbedded?: boolean;
  /** True if readers are informed when the page changes: it is asked for again now and then, and compared by the validator that the server writes into it. */
  readonly isWatched?: boolean;
  /** False if the page lacks what is still being read: it is asked for again sooner. */
  readonly isComplete?: boolean;
  readonly children: ComponentChildren;
}

/** A whole page, as HTML. */
export function renderPage(context: PageContext, parts: PageParts): string {
  const write = () => render(<Page context={context} {...parts} />);
  return `<!doctype html>${replaceForbidden(context.isExport ? renderStatically(context, write) : write())}`;
}

/** The content of a page of which only the start is rendered. No text of a page is written like it. */
const contentMark = '<wbr id="content"/>';

/** A page up to its content, as HTML: all of its head, and its header. */
export function renderPageStart(context: PageContext, parts: Omit<PageParts, 'children'>): string {
  const page = renderPage(context, { ...parts, children: <wbr id="content" /> });
  return page.slice(0, page.indexOf(contentMark));
}

/** A whole page, as HTML: each piece of its content is rendered in a step. */
export function* renderPageInSteps(
  context: PageContext,
  parts: Omit<PageParts, 'children'>,
  content: readonly (VNode | false)[],
): Steps<string> {
  // The rule for files is a hook of preact while a whole page is rendered.
  if (context.isExport) return renderPage(context, { ...parts, children: content });
  const pieces: string[] = [];
  for (const piece of content) {
    if (piece) pieces.push(replaceForbidden(render(piece)));
    yield;
  }
  const page = renderPage(context, { ...parts, children: <wbr id="content" /> });
  return page.replace(contentMark, () => pieces.join(''));
}

function Page({ context, ...parts }: PageParts & { readonly context: PageContext }): VNode {
  const { locale } = context;
  const { crumbs, children } = parts;
  const json = parts.json === undefined ? hrefWith(context, { format: 'json', _format: null }) : parts.json;
  return (
    <html lang={locale.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Head context={context} {...parts} json={json} />
      </head>
      <body data-search={context.isExport ? hrefOf(context, '/search/') : undefined}>
        {!parts.isEmbedded && (
          <a class="skip" href="#main">
            {locale.text('skipToContent')}
          </a>
        )}
        {!parts.isEmbedded && <SiteHeader context={context} {...parts} />}
        <main id="main" class={parts.isEmbedded ? 'embedded' : 'wide'}>
          {crumbs && <Breadcrumbs context={context} crumbs={crumbs} />}
          {children}
          {parts.isWatched && !context.isExport && (
            <div
              class="changed"
              role="status"
              data-tag=""
              data-changed={locale.text('pageHasChanged')}
              data-show={locale.text('showChange')}
              data-gone={locale.text('pageIsGone')}
              data-soon={parts.isComplete === false ? '' : undefined}
            />
          )}
        </main>
        {!parts.isEmbedded && <SiteFooter context={context} json={json} feed={parts.feed ?? '/feed.atom'} />}
      </body>
    </html>
  );
}

interface Framed extends PageParts {
  readonly context: PageContext;
}

const sections = [
  ['datasets', `${apiRoot}${collections.dataset}/`],
  ['namespaces', `${apiRoot}${collections.namespace}/`],
  ['queries', `${apiRoot}${collections.query}/`],
  ['api', apiRoot],
] as const;

/** Where to go after logging in or out: back to this page, or from one of those two to where it would go. */
const hrefAfterwards = (context: PageContext): string =>
  context.path.startsWith('/auth/') ? (context.query.get('next') ?? '') : hrefWith(context, {});

function SiteHeader({ context, section, hasSearch = true }: Framed): VNode {
  const { locale, settings, username } = context;
  const next = encodeURIComponent(hrefAfterwards(context));
  return (
    <header class="bar">
      <div class="wide">
        <a class="word" href={hrefOf(context, '/')}>
          <Logo context={context} />
          {settings.title}
        </a>
        <nav aria-label={locale.text('sections')}>
          {sections.map(([name, path]) => (
            <a key={name} href={hrefOf(context, path)} aria-current={name === section ? 'true' : undefined}>
              {locale.text(name)}
            </a>
          ))}
          {hasSearch && (
            <a class="narrow-only" href={`${hrefOfSearch(context)}#q`}>
              {locale.text('search')}
            </a>
          )}
        </nav>
        {hasSearch && (
          <form class="find" role="search" action={hrefOfSearch(context)}>
            <label class="vh" for="q">
              {locale.text('searchDatasets')}
            </label>
            <input
              id="q"
              type="search"
              name="search"
              placeholder={locale.text('searchDatasets')}
              data-suggest={hrefOf(context, `${apiRoot}suggestions/`)}
            />
          </form>
        )}
        {username === null ? (
          <a class="in" href={hrefOf(context, `/auth/login/?next=${next}`)} rel="nofollow">
            {locale.text('logIn')}
          </a>
        ) : (
          <a class="in" href={hrefOf(context, `/auth/logout/?next=${next}`)} rel="nofollow">
            {locale.text('logOutUser', { name: username })}
          </a>
        )}
      </div>
      <div class="neat" aria-hidden="true" />
    </header>
  );
}

function Logo({ context }: { readonly context: PageContext }): VNode | null {
  const path = mediaPathInUrl(context.settings.logo);
  return path ? <img class="logo" src={hrefOf(context, context.settings.logo)} alt="" height="28" /> : null;
}

function Breadcrumbs({ context, crumbs }: { readonly context: PageContext; readonly crumbs: readonly Crumb[] }): VNode {
  return (
    <nav class="crumbs" aria-label={context.locale.text('whereThisIs')}>
      <ol>
        {crumbs.map(({ text, href }) => (
          <li key={text}>
            {href === undefined ? (
              <span aria-current="page" dir="auto">
                {text}
              </span>
            ) : (
              <a href={href} dir="auto">
                {text}
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface FooterProps {
  readonly context: PageContext;
  readonly json: string | null;
  readonly feed: string;
}

function SiteFooter({ context, json, feed }: FooterProps): VNode {
  const { locale, settings } = context;
  return (
    <footer class="foot">
      <div class="wide">
        <span class="dots">
          <span dir="auto">{settings.title}</span>
          {Object.entries(settings.footer).map(([text, href]) => (
            <a key={text} href={href.startsWith('/') ? hrefOf(context, href) : href} dir="auto">
              {text}
            </a>
          ))}
        </span>
        <span class="dots">
          {json && <a href={json}>{locale.text('thisPageAsJson')}</a>}
          <a href={hrefOf(context, feed)}>{locale.text('feed')}</a>
          <a href={hrefOf(context, documentationRoot)}>{locale.text('documentation')}</a>
        </span>
      </div>
    </footer>
  );
}
