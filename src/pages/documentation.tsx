/** A page of the documentation, with the list of all of them. */
import type { VNode } from 'preact';
import { apiRoot, documentationRoot } from '../catalogue/urls.ts';
import { type RenderedDocumentation, renderDocumentationMarkdown } from './documentation-markdown.ts';
import { renderPage } from './layout.tsx';
import { hrefOf, type PageContext } from './page-context.ts';

/** Name of the page that lists the others, at `documentationRoot` itself. */
export const indexPage = 'README';

export const documentationPagePath = (name: string): string =>
  name === indexPage ? documentationRoot : `${documentationRoot}${name}/`;

export interface DocumentationParts {
  /** Name of the page: `filters`. */
  readonly name: string;
  /** The texts of all pages, by name, in Markdown. */
  readonly pages: ReadonlyMap<string, string>;
  /** True for a file beside the pages that the server has: `screenshots/home.webp`. */
  readonly hasFile: (path: string) => boolean;
}

export function renderDocumentationPage(context: PageContext, parts: DocumentationParts): string {
  const { locale } = context;
  const { name, pages } = parts;
  const document = renderDocumentationMarkdown(pages.get(name) ?? '', {
    resolve: (address) => resolveAddress(context, parts, address),
    copy: locale.text('copy'),
    copied: locale.text('copied'),
  });
  const index = { text: locale.text('documentation'), href: hrefOf(context, documentationRoot) };
  return renderPage(context, {
    title: document.title,
    description: document.description,
    json: null,
    crumbs: name === indexPage ? [{ text: index.text }] : [index, { text: document.title }],
    children: (
      <div class="documentation">
        <article class="prose" lang="en" dangerouslySetInnerHTML={{ __html: document.html }} />
        {name === indexPage ? (
          <SiteReferences context={context} />
        ) : (
          <Contents context={context} document={document} {...parts} />
        )}
      </div>
    ),
  });
}

/** The address on this server of one that is relative to the folder of the pages. */
function resolveAddress(context: PageContext, { pages, hasFile }: DocumentationParts, address: string): string | null {
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(address) ?? [];
  const name = /^([\w-]+)\.md$/.exec(path)?.[1] ?? '';
  if (pages.has(name)) return hrefOf(context, documentationPagePath(name) + hash);
  // What belongs to deploying lies beside the folder of the pages, and has an address within theirs.
  const file = path.replace(/^\.\.\/(?=deploy\/)/, '');
  return hasFile(file) ? hrefOf(context, documentationRoot + file) : null;
}

/** What this server describes of itself: its API, its file formats, OGC API - Features. */
function SiteReferences({ context }: { readonly context: PageContext }): VNode {
  const { locale } = context;
  const references = [
    [`${documentationRoot}openapi/`, 'apiReference'],
    [apiRoot, 'api'],
    ['/ogc/', 'ogcApi'],
    ['/schemas/', 'fileFormats'],
  ] as const;
  return (
    <nav class="contents" aria-label={locale.text('onThisServer')}>
      <p>{locale.text('onThisServer')}</p>
      <ul>
        {references.map(([path, key]) => (
          <li key={path}>
            <a href={hrefOf(context, path)}>{locale.text(key)}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface ContentsProps extends DocumentationParts {
  readonly context: PageContext;
  readonly document: RenderedDocumentation;
}

/** All pages by subject, as the index has them, and the sections of this one. */
function Contents({ context, name, pages, document }: ContentsProps): VNode {
  const subjects = (pages.get(indexPage) ?? '').split(/^## /m).slice(1);
  return (
    <nav class="contents" aria-label={context.locale.text('documentation')}>
      <div lang="en">
        {subjects.map((subject) => (
          <div key={subject}>
            <p>{subject.slice(0, subject.indexOf('\n'))}</p>
            <ul>
              {linksIn(subject).map((link) => (
                <li key={link.name}>
                  <a
                    href={hrefOf(context, documentationPagePath(link.name))}
                    aria-current={link.name === name ? 'page' : undefined}
                  >
                    {link.title}
                  </a>
                  {link.name === name && (
                    <ul>
                      {document.sections.map(({ id, title }) => (
                        <li key={id}>
                          <a href={`#${id}`}>{title}</a>
                        </li>
                      ))}
                    </ul>
                  )}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

/** The pages that a list in Markdown names: `- [Filters](filters.md): …`. */
const linksIn = (list: string): readonly { readonly name: string; readonly title: string }[] =>
  [...list.matchAll(/^- \[([^\]]+)\]\(([\w-]+)\.md\)/gm)].map(([, title = '', name = '']) => ({ name, title }));
