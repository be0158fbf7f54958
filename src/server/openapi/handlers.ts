/** The OpenAPI document over HTTP, and the page to read it. */
import { toJson } from '../../catalogue/represent.ts';
import { renderApiReferencePage } from '../../pages/api-reference.tsx';
import { openApiType } from '../about.ts';
import type { Handler, Route } from '../route.ts';
import { openApiDocument } from './document.ts';

const json = 'application/json';

/** @param routes that the document describes: a function, since the document is one of them */
export function makeOpenApiHandler(routes: () => readonly Route[]): Handler {
  return async ({ ctx, catalogue: { settings }, links, type }) => ({
    title: 'OpenAPI',
    // Browsers show JSON in general, and save other types.
    type: type === json || /text\/html/.test(ctx.get('Accept')) ? json : openApiType,
    dependsOn: [settings, links.base],
    json: () => toJson(openApiDocument(routes(), settings, links.base)),
  });
}

/** The document as a page. @param routes as for the document */
export function makeApiReferenceHandler(routes: () => readonly Route[]): Handler {
  return async ({ catalogue: { settings }, links }) => {
    const document = () => openApiDocument(routes(), settings, links.base);
    return {
      title: 'API',
      dependsOn: [settings, links.base],
      json: () => toJson(document()),
      page: (context) => renderApiReferencePage(context, document()),
    };
  };
}
