/** The documentation of the program: pages for browsers, and their sources in Markdown. */
import { NotFoundError } from '../catalogue/errors.ts';
import { documentationRoot } from '../catalogue/urls.ts';
import { documentationPagePath, indexPage, renderDocumentationPage } from '../pages/documentation.tsx';
import { documentationFile, documentationPages } from './assets.ts';
import type { Representation, RequestContext } from './route.ts';

const hasFile = (path: string) => documentationFile(path) !== null;

/** A page, or its source if Accept prefers `text/markdown`. */
export async function documentationHandler(request: RequestContext): Promise<Representation> {
  const { params, type, links } = request;
  const { page: name = indexPage } = params;
  // The index has one address.
  if (params.page === indexPage) throw new NotFoundError();
  const source = findSource(name);
  const alternate = { url: `${links.base}${documentationRoot}${name}.md`, type: 'text/markdown' };
  return {
    ...representSource(name, source, links.base),
    links: () => [alternate],
    ...(type === 'text/html' && {
      type,
      page: (context) => renderDocumentationPage(context, { name, pages: documentationPages(), hasFile }),
    }),
  };
}

/** The source of a page at an address of its own, where its relative links lead to other sources. */
export async function documentationSourceHandler({ params, links }: RequestContext): Promise<Representation> {
  const { page = '' } = params;
  const canonical = { rel: 'canonical', url: links.base + documentationPagePath(page), type: 'text/html' };
  return { ...representSource(page, findSource(page), links.base), links: () => [canonical] };
}

/** @throws NotFoundError */
function findSource(name: string): string {
  const source = documentationPages().get(name);
  if (source === undefined) throw new NotFoundError();
  return source;
}

const representSource = (name: string, source: string, base: string): Representation => ({
  title: name,
  dependsOn: [source, base],
  json: () => JSON.stringify(source),
  bytes: () => Buffer.from(source),
  type: 'text/markdown; charset=utf-8',
});
