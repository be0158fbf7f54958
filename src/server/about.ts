/** Representations of the catalogue as a whole: the root of its API, the schemas of its files. */

import { NotFoundError } from '../catalogue/errors.ts';
import { isLanguageTag } from '../catalogue/meaning.ts';
import { representRoot, toJson } from '../catalogue/represent.ts';
import { type RecordKind, schemas } from '../catalogue/schemas.ts';
import { apiRoot, type Links, versionHeader } from '../catalogue/urls.ts';
import { renderFileSchemaPage } from '../pages/schema.tsx';
import type { Headers } from './headers.ts';
import type { Alternate } from './link-header.ts';
import type { Representation, RequestContext } from './route.ts';

/** Media type of the OpenAPI document, as registered with IANA. */
export const openApiType = 'application/vnd.oai.openapi+json;version=3.1';

/** The description of the API, for programs and for people (RFC 8631), and other APIs. */
const descriptionLinks = (base: string): readonly Alternate[] => [
  { rel: 'service-desc', url: `${base}${apiRoot}openapi.json`, type: openApiType },
  { rel: 'service-doc', url: `${base}/docs/openapi/`, type: 'text/html' },
  // OGC API - Features, which has a description of its own.
  { rel: 'related', url: `${base}/ogc/`, type: 'application/json' },
];

/** Lists that are no files of an export: who may see people, and what the server keeps, only a server decides. */
const neverExported: readonly string[] = ['intrinsecus', 'token', 'users'];

function exportedRoot(links: Links) {
  const { endpoints } = representRoot(links) as { endpoints: readonly { readonly name: string }[] };
  return { authentication: [], endpoints: endpoints.filter(({ name }) => !neverExported.includes(name)) };
}

/** The root of the API, with the language of the catalogue. Staff also see the version of the program. */
export async function rootHandler({ links, viewer, app, catalogue }: RequestContext): Promise<Representation> {
  const { language } = catalogue.settings;
  const headers: Headers = [
    ...(isLanguageTag(language) ? [['Content-Language', language] as const] : []),
    ...(viewer.staff && app.version ? [[versionHeader, app.version] as const] : []),
  ];
  return {
    title: 'Api Version 1',
    dependsOn: [links.base],
    json: () => toJson(app.staticExport ? exportedRoot(links) : representRoot(links)),
    headers,
    links: () => descriptionLinks(links.base),
  };
}

export async function listSchemasHandler({ links }: RequestContext): Promise<Representation> {
  const list = Object.values(schemas).map(({ $id, title }) => ({ url: `${links.base}/schemas/${$id}`, title }));
  return { title: 'Schemas', dependsOn: [links.base], json: () => toJson(list) };
}

/** The JSON Schema of a kind of file. */
export async function showSchemaHandler({ params, links, isPage }: RequestContext): Promise<Representation> {
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
    ...(isPage && { page: (context) => renderFileSchemaPage(context, schema) }),
  };
}
