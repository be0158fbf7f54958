/** The head of every page: title, links to its files and to related resources, and what other programs show of it. */
import type { VNode } from 'preact';
import { accentColours } from '../catalogue/colour.ts';
import { jsonInHtml } from './html.ts';
import { hrefOf, type PageContext } from './page-context.ts';

export interface HeadParts {
  /** Title of the window; that of the catalogue follows it. */
  readonly title: string;
  /** One sentence about the page, for search engines. */
  readonly description?: string;
  /** True for pages that search engines shouldn't list. */
  readonly isHidden?: boolean;
  /** Canonical path, if it isn't that of the page without parameters. */
  readonly canonical?: string;
  /** Address of the same as JSON; null for a page without one. */
  readonly json?: string | null;
  /** Path of the feed of what the page is about; by default that of the catalogue. */
  readonly feed?: string;
  /** Path of a picture of what the page is about, as PNG: social networks show no SVG. */
  readonly picture?: string;
  /** What the page is about, as JSON-LD. */
  readonly jsonLd?: object;
}

interface HeadProps extends HeadParts {
  readonly context: PageContext;
}

export function Head({ context, ...parts }: HeadProps): VNode {
  const { title, isHidden } = parts;
  const { settings } = context;
  return (
    <>
      <title>{title === settings.title ? title : `${title} – ${settings.title}`}</title>
      <HeadLinks context={context} {...parts} />
      {!isHidden && <PreviewOfPage context={context} {...parts} />}
    </>
  );
}

function HeadLinks({ context, description, isHidden, canonical, json, feed = '/feed.atom' }: HeadProps): VNode {
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
function PreviewOfPage({ context, title, description, picture, canonical, jsonLd }: HeadProps): VNode {
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={context.settings.title} />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      {context.base && <meta property="og:url" content={context.base + (canonical ?? context.path)} />}
      {picture && context.base && (
        <>
          <meta property="og:image" content={context.base + picture} />
          <meta property="og:image:type" content="image/png" />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
      {jsonLd && <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: jsonInHtml(jsonLd) }} />}
    </>
  );
}

/** The icon of the site: bars of several heights. It stands in the page, which spares a request. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="5" fill="#0b5a63"/><path d="M6 26V14h4v12zM12 26V6h4v20zM18 26V10h4v16zM24 26v-7h3v7z" fill="#fcfbf8"/></svg>',
)}`;

/** Files of the fonts that every page uses. */
const fonts = ['ibm-plex-sans-latin-wght-normal.woff2', 'source-serif-4-latin-600-normal.woff2'] as const;
