/** Representations of the catalogue as a whole: its home page, the root of its API, the schemas of its files. */

import { NotFoundError } from '../catalogue/errors.ts';
import { isLanguageTag } from '../catalogue/meaning.ts';
import { representRoot, toJson } from '../catalogue/represent.ts';
import { type RecordKind, schemas } from '../catalogue/schemas.ts';
import { apiRoot, versionHeader } from '../catalogue/urls.ts';
import { renderHomePage } from '../pages/site.ts';
import { renderFileSchemaPage } from '../pages/tables.ts';
import type { Headers } from './headers.ts';
import { pathPrefix, type Representation, type RequestContext } from './route.ts';

/** The first page for people; programs are redirected to the API. */
export async function homeHandler({ app, catalogue, ctx, type }: RequestContext): Promise<Representation | undefined> {
  if (type === 'application/json') {
    ctx.redirect(pathPrefix(app) + apiRoot);
    return undefined;
  }
  const { items, count } = await catalogue.list('dataset', {});
  return {
    title: catalogue.settings.title,
    dependsOn: [count, ...items],
    json: () => '{}',
    html: (settings, base) => renderHomePage(settings, base, items, count),
  };
}

/** The root of the API, with the language of the catalogue. Staff also see the version of the program. */
export async function rootHandler({ links, viewer, app, catalogue }: RequestContext): Promise<Representation> {
  const { language } = catalogue.settings;
  const headers: Headers = [
    ...(isLanguageTag(language) ? [['Content-Language', language] as const] : []),
    ...(viewer.staff && app.version ? [[versionHeader, app.version] as const] : []),
  ];
  return { title: 'Api Version 1', dependsOn: [links.base], json: () => toJson(representRoot(links)), headers };
}

export async function listSchemasHandler({ links }: RequestContext): Promise<Representation> {
  const list = Object.values(schemas).map(({ $id, title }) => ({ url: `${links.base}/schemas/${$id}`, title }));
  return { title: 'Schemas', dependsOn: [links.base], json: () => toJson(list) };
}

/** The JSON Schema of a kind of file. */
export async function showSchemaHandler({ params, links, type }: RequestContext): Promise<Representation> {
  const kind = (Object.keys(schemas) as RecordKind[]).find((kind) => schemas[kind].$id === params.schema);
  if (!kind) throw new NotFoundError();
  const schema = schemas[kind];
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    $id: `${links.base}/schemas/${schema.$id}`,
  };
  return {
    title: schema.title,
    dependsOn: [links.base],
    json: () => toJson(document),
    ...(type === 'text/html' && { html: (settings, base) => renderFileSchemaPage(schema, settings, base) }),
  };
}
