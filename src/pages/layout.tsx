/** The frame of every page: head, neatline, breadcrumbs, title, foot. */
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { accentColours } from '../catalogue/colour.ts';
import { mediaPathInUrl } from '../catalogue/layout.ts';
import type { Steps } from '../catalogue/steps.ts';
import { apiRoot, collections, documentationRoot } from '../catalogue/urls.ts';
import { hrefOf, hrefOfSearch, hrefWith, type PageContext } from './page-context.ts';
import { renderStatically } from './static-page.ts';

/** A link in the breadcrumbs; without an address, the present page. */
export interface Crumb {
  readonly text: string;
  readonly href?: string;
}

export interface PageParts {
  /** Title of the window; that of the catalogue follows it. */
  readonly title: string;
  /** One sentence about the page, for search engines. */
  readonly description?: string;
  readonly crumbs?: readonly Crumb[];
  /** Section of the site that the page belongs to. */
  readonly section?: 'datasets' | 'namespaces' | 'queries' | 'api';
  /** False if the page has a large field for searching itself. */
  readonly hasSearch?: boolean;
  /** True for pages that search engines shouldn't list. */
  readonly isHidden?: boolean;
  /** True for a page in a frame on a page of others, without head and foot. */
  readonly isEmbedded?: boolean;
  /** Canonical path, if it isn't that of the page without parameters. */
  readonly canonical?: string;
  /** Address of the same as JSON; null if there is none. */
  readonly json?: string | null;
  /** Path of the feed of what the page is about; by default that of the catalogue. */
  readonly feed?: string;
  /** Path of a picture of what the page is about. */
  readonly picture?: string;
  /** What the page is about, as JSON-LD. */
  readonly jsonLd?: object;
  /** True if readers are informed when the page changes: it is asked for again now and then, and compared by the validator that the server writes into it. */
  readonly isWatched?: boolean;
  readonly children: ComponentChildren;
}

/** Control characters that HTML may not hold (HTML Standard, section 13.2.3.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** A whole page, as HTML. */
export function renderPage(context: PageContext, parts: PageParts): string {
  const write = () => render(<Page context={context} {...parts} />);
  return `<!doctype html>${(context.isExport ? renderStatically(context, write) : write()).replace(forbidden, '\ufffd')}`;
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
    if (piece) pieces.push(render(piece).replace(forbidden, '\ufffd'));
    yield;
  }
  const page = renderPage(context, { ...parts, children: <wbr id="content" /> });
  return page.replace(contentMark, () => pieces.join(''));
}

function Page({ context, ...parts }: PageParts & { readonly context: PageContext }): VNode {
  const { locale, settings } = context;
  const { title, crumbs, children } = parts;
  const json = parts.json === undefined ? hrefWith(context, { format: 'json', _format: null }) : parts.json;
  return (
    <html lang={locale.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title === settings.title ? title : `${title} – ${settings.title}`}</title>
        <HeadLinks context={context} {...parts} json={json} />
        {!parts.isHidden && <PreviewOfPage context={context} {...parts} />}
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

function HeadLinks({ context, description, isHidden, canonical, json, feed = '/feed.atom' }: Framed): VNode {
  const { assets, settings } = context;
  const at = (name: string) => hrefOf(context, `${assets}/${name}`);
  const accent = settings.accent && accentColours(settings.accent) ? settings.accent.trim().slice(1).toLowerCase() : '';
  return (
    <>
      {description && <meta name="description" content={description} />}
      {isHidden && <meta name="robots" content="noindex" />}
      <meta name="color-scheme" content="light dark" />
      {fonts.map((name) => (
        <link key={name} rel="preload" href={at(name)} as="font" type="font/woff2" crossorigin="anonymous" />
      ))}
      <link rel="stylesheet" href={at('style.css')} />
      {accent && <link rel="stylesheet" href={at(`accent-${accent}.css`)} />}
      <link rel="icon" href={icon} type="image/svg+xml" />
      <script type="module" src={at('page.js')} />
      {!isHidden && context.base && <link rel="canonical" href={context.base + (canonical ?? context.path)} />}
      {json && <link rel="alternate" type="application/json" href={json} />}
      <link rel="alternate" type="application/atom+xml" href={hrefOf(context, feed)} />
      {/* The feed stands above; `items` is a relation of OGC API, which HTML doesn't know. */}
      {context.links
        ?.filter(({ rel, type }) => type !== 'application/atom+xml' && rel !== 'items')
        .map(({ rel = 'alternate', type, url }) => (
          <link key={`${rel} ${url}`} rel={rel} type={type} href={withoutHost(context, url)} />
        ))}
    </>
  );
}

/** An address of this site without its host, as all links of pages. */
const withoutHost = ({ base }: PageContext, url: string): string =>
  base && url.startsWith(`${base}/`) ? hrefOf({ base }, url.slice(base.length)) : url;

/** What programs show of the page: Open Graph (ogp.me), and JSON-LD. */
function PreviewOfPage({ context, title, description, picture, canonical, jsonLd }: Framed): VNode {
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={context.settings.title} />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      {context.base && <meta property="og:url" content={context.base + (canonical ?? context.path)} />}
      {picture && context.base && <meta property="og:image" content={context.base + picture} />}
      {jsonLd && <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: jsonInHtml(jsonLd) }} />}
    </>
  );
}

/** JSON that can't end the element that it is in (HTML Standard, section 4.12.1.3). */
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The icon of the site: bars of several heights. It stands in the page, which spares a request. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="5" fill="#0b5a63"/><path d="M6 26V14h4v12zM12 26V6h4v20zM18 26V10h4v16zM24 26v-7h3v7z" fill="#fcfbf8"/></svg>',
)}`;

/** Files of the fonts that every page uses. */
const fonts = ['ibm-plex-sans-latin-wght-normal.woff2', 'source-serif-4-latin-600-normal.woff2'] as const;

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
