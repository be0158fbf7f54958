/** OGC API - Features for people: each document with its links, and as JSON. */
import type { VNode } from 'preact';
import type { OgcLink } from '../catalogue/feature-parameters.ts';
import { type OgcCollection, openApiType } from '../standards/ogc/collection.ts';
import { decodedSegment, Paging } from './json-page.tsx';
import { JsonText } from './json-text.tsx';
import { type Crumb, renderPage } from './layout.tsx';
import { firstParagraph } from './markdown.ts';
import { hrefOf, hrefWith, type PageContext } from './page-context.ts';
import { Prose } from './prose.tsx';

export interface OgcPageParts {
  readonly title: string;
  readonly description?: string;
  readonly document: object;
  readonly links?: readonly OgcLink[];
  readonly collections?: readonly OgcCollection[];
  /** Addresses of the pages of features before and after this one. */
  readonly next?: string | null;
  readonly previous?: string | null;
}

/** Collections in a page, at most. */
const mostCollections = 1000;

export function renderOgcPage(context: PageContext, parts: OgcPageParts): string {
  const { title, description = '', document, links = [], collections } = parts;
  return renderPage(context, {
    title,
    section: 'api',
    isHidden: true,
    json: hrefWith(context, { f: 'json' }),
    crumbs: ogcCrumbs(context),
    children: (
      <>
        <h1 dir="auto">{title}</h1>
        <Prose context={context} text={description} />
        {collections ? <CollectionList context={context} collections={collections} /> : <LinkList links={links} />}
        {!collections && (
          <>
            <Paging context={context} {...parts} isRepeated />
            <JsonText context={context} text={JSON.stringify(document)} href={hrefWith(context, { f: 'json' })} />
            <Paging context={context} {...parts} />
          </>
        )}
        <p class="s dots">
          <a href={hrefWith(context, { f: 'json' })}>JSON</a>
        </p>
      </>
    ),
  });
}

/** Breadcrumbs: a link for each part of the path. */
function ogcCrumbs({ path, ...context }: PageContext): readonly Crumb[] {
  const parts = path.split('/').filter(Boolean);
  return parts.map((part, i) => {
    const text = i === 0 ? 'OGC API' : decodedSegment(part);
    const address = i === 0 ? '/ogc/' : `/${parts.slice(0, i + 1).join('/')}`;
    return i === parts.length - 1 ? { text } : { text, href: `${hrefOf(context, address)}?f=html` };
  });
}

/** Links of a document, each address once, but for those to itself. */
function LinkList({ links }: { readonly links: readonly OgcLink[] }): VNode | null {
  const others = links.filter(({ rel, title }) => rel !== 'self' && rel !== 'alternate' && title);
  const shown = [...new Map(others.map((link) => [link.href, link])).values()];
  if (shown.length === 0) return null;
  return (
    <ul class="s">
      {shown.map(({ href, title, type }) => (
        <li key={href}>
          <a href={href} type={type === openApiType ? undefined : type}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function CollectionList({
  context,
  collections,
}: {
  readonly context: PageContext;
  readonly collections: readonly OgcCollection[];
}): VNode {
  const { locale } = context;
  const more = collections.length - mostCollections;
  return (
    <div class="records">
      <ul>
        {collections.slice(0, mostCollections).map(({ id, url, facts }) => (
          <li key={id} class="hit">
            <div>
              <h2>
                <a href={`${url}?f=html`} dir="auto">
                  {facts.title}
                </a>
              </h2>
              <p class="where-is">{id}</p>
              <p dir="auto">{firstParagraph(facts.description)}</p>
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && <p>{locale.text('ogcMoreCollections', { count: more })}</p>}
    </div>
  );
}
