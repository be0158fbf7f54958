/**
 * The abstract tests of OGC API - Features, over HTTP, on all collections: Part 1 (17-069r4, annex A), Part 3 (19-079r2),
 * Part 5 (23-058) and Part 8, of the classes that the server declares. Their names are those of the tests.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { jsonSchemaErrors, ogcErrors, openApi30Errors } from './validate.ts';

interface Link {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
}
interface Collection {
  readonly id: string;
  readonly title: string;
  readonly links: readonly Link[];
  readonly extent?: {
    readonly spatial?: { readonly bbox: readonly number[][] };
    readonly temporal?: { readonly interval: readonly string[][] };
  };
}
interface Feature {
  readonly id: string | number;
  readonly geometry: { readonly coordinates: unknown } | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly links?: readonly Link[];
}
interface Features {
  readonly features: readonly Feature[];
  readonly links: readonly Link[];
  readonly timeStamp: string;
  readonly numberMatched: number;
  readonly numberReturned: number;
}
interface Schema {
  readonly $id: string;
  readonly type: string;
  readonly additionalProperties: boolean;
  readonly properties: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly style: string;
  readonly explode: boolean;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}
interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly operationId: string;
          readonly parameters: readonly (Parameter & { $ref?: string })[];
          readonly responses: object;
        };
      }
    >
  >;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const geoJson = 'application/geo+json';
const relation = (name: string) => `http://www.opengis.net/def/rel/ogc/1.0/${name}`;

for (const [name, makeFolder] of [
  ['the example catalogue', copyOfExample],
  ['hostile rows', hostileFolder],
] as const)
  describe(`OGC API - Features: ${name}`, () => {
    let root = '';
    let close = async () => {};
    let collections: readonly Collection[] = [];
    let api: OpenApi;

    before(async () => {
      const folder = await makeFolder();
      const server = await serveFolder(folder.root);
      root = `${server.base}/ogc`;
      close = async () => {
        await server.close();
        await folder.remove();
        assert.deepEqual(
          server.log.filter((line) => /Error|^\s+at |^response:/.test(line)),
          [],
        );
      };
      ({ collections } = await get<{ collections: Collection[] }>(`${root}/collections`));
      api = await get<OpenApi>(`${root}/api`, openApi);
    });
    after(() => close());

    const get = async <T>(url: string, accept = 'application/json'): Promise<T> => {
      const response = await fetch(url, { headers: { Accept: accept } });
      assert.equal(response.status, 200, `${url}: ${await response.clone().text()}`);
      assert.equal(response.headers.get('content-type'), accept, url);
      return (await response.json()) as T;
    };
    const statusOf = async (url: string) => (await fetch(url)).status;
    const itemsOf = ({ id }: Collection, query = '') =>
      get<Features>(`${root}/collections/${id}/items${query}`, geoJson);
    const openApi = 'application/vnd.oai.openapi+json;version=3.0';
    const assertLinks = (links: readonly Link[], ...wanted: string[]) => {
      for (const { rel, href } of links) assert.ok(rel && /^https?:/.test(href), href);
      for (const rel of wanted)
        assert.ok(
          links.some((link) => link.rel === rel && link.type),
          rel,
        );
    };
    const isPage = async (url: string) => {
      const response = await fetch(url, { headers: { Accept: 'text/html' } });
      assert.equal(response.status, 200, url);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(await response.text(), /^<!doctype html>.*<\/html>$/s);
    };

    it('core: root-op, root-success, conformance-op, conformance-success', async () => {
      const landing = await get<{ links: Link[] }>(`${root}/`);
      assert.deepEqual(ogcErrors('landingPage', landing), []);
      assertLinks(landing.links, 'self', 'alternate', 'service-desc', 'service-doc', 'conformance', 'data');
      for (const name of ['conformance', 'data']) {
        const [one, other] = [name, `http://www.opengis.net/def/rel/ogc/1.0/${name}`].map((rel) =>
          landing.links.find((link) => link.rel === rel),
        );
        assert.equal(other?.href, one?.href);
      }
      const classes = await get<{ conformsTo: string[] }>(
        landing.links.find(({ rel }) => rel === 'conformance')?.href ?? '',
      );
      assert.deepEqual(ogcErrors('confClasses', classes), []);
      for (const part of ['core', 'geojson', 'html', 'oas30'])
        assert.ok(classes.conformsTo.includes(`http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${part}`));
    });

    it('core: api-definition-op, api-definition-success; oas30: all', async () => {
      const { links } = await get<{ links: Link[] }>(`${root}/`);
      assert.equal(links.find(({ rel }) => rel === 'service-desc')?.type, openApi);
      assert.deepEqual(openApi30Errors(api), []);
      await isPage(links.find(({ rel }) => rel === 'service-doc')?.href ?? '');
      const operations = Object.values(api.paths).map(({ get }) => get);
      assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
      for (const [path, { get }] of Object.entries(api.paths)) {
        assert.deepEqual(Object.keys(get.responses).slice(0, 2), ['200', '400'], path);
        if (!path.includes('{')) assert.equal(await statusOf(root + path), 200, path);
      }
      for (const { id } of collections)
        for (const below of ['', '/items', '/items/{featureId}', '/queryables', '/schema', '/sortables'])
          assert.ok(api.paths[`/collections/${id}${below}`], `${id}${below}`);
    });

    const parametersOf = (id: string) =>
      (api.paths[`/collections/${id}/items`]?.get.parameters ?? []).map((parameter) =>
        parameter.$ref ? (api.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] as Parameter) : parameter,
      );

    it('core: fc-limit-definition, fc-bbox-definition, fc-time-definition', () => {
      for (const { id } of collections) {
        const byName = new Map(parametersOf(id).map((one) => [one.name, one]));
        for (const [parameter, schema] of Object.entries({
          limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 1000 },
          bbox: {
            type: 'array',
            oneOf: [
              { minItems: 4, maxItems: 4 },
              { minItems: 6, maxItems: 6 },
            ],
            items: { type: 'number' },
          },
          datetime: { type: 'string' },
        })) {
          const { description: _, ...found } = byName.get(parameter) as Parameter & { description: string };
          const shape = { name: parameter, in: 'query', required: false, style: 'form', explode: false };
          assert.deepEqual(found, { ...shape, schema }, id);
        }
      }
    });

    it('core: fc-md-op, fc-md-success, fc-md-links, fc-md-items, fc-md-items-links, sfc-md-op, sfc-md-success', async () => {
      const document = await get<{ links: Link[] }>(`${root}/collections`);
      assert.deepEqual(ogcErrors('collections', document), []);
      assertLinks(document.links, 'self', 'alternate');
      assert.ok(collections.length > 5);
      for (const collection of collections) {
        assert.deepEqual(await get(`${root}/collections/${collection.id}`), collection);
        assertLinks(
          collection.links,
          'self',
          'items',
          relation('queryables'),
          relation('schema'),
          relation('sortables'),
        );
        const types = collection.links.filter(({ rel }) => rel === 'items').map(({ type }) => type);
        assert.deepEqual(types, [geoJson, 'text/html']);
      }
    });

    it('core: fc-md-extent', async () => {
      for (const { id, extent } of collections) {
        const { features } = await itemsOf({ id } as Collection, '?limit=10000');
        const [west = 0, south = 0, east = 0, north = 0] = extent?.spatial?.bbox[0] ?? [];
        for (const [x = 0, y = 0] of features.flatMap(({ geometry }) => positionsOf(geometry?.coordinates))) {
          assert.ok(extent?.spatial, id);
          assert.ok(west <= east ? x >= west && x <= east : x >= west || x <= east, `${id}: ${x}`);
          assert.ok(y >= south && y <= north, `${id}: ${y}`);
        }
        assert.equal(extent?.spatial?.bbox.every((box) => box.length === 4) ?? true, true);
      }
    });

    it('core: fc-op, fc-response, fc-links, fc-timeStamp, fc-numberMatched, fc-numberReturned, crs84; geojson: content', async () => {
      for (const collection of collections) {
        const all = await itemsOf(collection, '?limit=10000');
        assert.deepEqual(ogcErrors('featureCollectionGeoJSON', all), [], collection.id);
        assertLinks(all.links, 'self', 'alternate', 'collection');
        assert.equal(all.links.find(({ rel }) => rel === 'self')?.type, geoJson);
        assert.ok(Math.abs(Date.parse(all.timeStamp) - Date.now()) < 60_000);
        assert.equal(all.numberReturned, all.features.length);
        let matched = all.features.length;
        for (let page = all; ; ) {
          const next = page.links.find(({ rel }) => rel === 'next');
          if (!next) break;
          assert.equal(next.type, geoJson);
          page = await get<Features>(next.href, geoJson);
          matched += page.features.length;
        }
        assert.equal(all.numberMatched, matched, collection.id);
      }
    });

    it('core: fc-limit-response; next is a position, also with another limit', async () => {
      for (const collection of collections) {
        const all = (await itemsOf(collection, '?limit=10000')).features.map(({ id }) => id);
        const first = await itemsOf(collection, '?limit=2');
        assert.deepEqual(
          first.features.map(({ id }) => id),
          all.slice(0, 2),
        );
        assert.ok((await itemsOf(collection, '?limit=10001')).features.length <= 10_000);
        const next = first.links.find(({ rel }) => rel === 'next');
        assert.equal(next !== undefined, all.length > 2, collection.id);
        if (!next) continue;
        assert.ok(
          new URL(next.href).search
            .slice(1)
            .split('&')
            .every((part) => part.includes('=')),
        );
        const rest = await get<Features>(next.href.replace('limit=2', 'limit=10000'), geoJson);
        assert.deepEqual(rest.features.map(({ id }) => id).slice(0, all.length - 2), all.slice(2));
      }
    });

    it('core: fc-bbox-response, query-param-invalid, query-param-unknown', async () => {
      for (const collection of collections) {
        const [west = -180, south = -90, east = 180, north = 90] = collection.extent?.spatial?.bbox[0] ?? [];
        const all = await itemsOf(collection, '?limit=1');
        const whole = await itemsOf(collection, `?limit=1&bbox=${[west, south, east, north]}`);
        assert.equal(whole.numberMatched, all.numberMatched, collection.id);
        const six = await itemsOf(collection, `?limit=1&bbox=${[west, south, -9000, east, north, 9000]}`);
        assert.equal(six.numberMatched, all.numberMatched, collection.id);
        const some = await itemsOf(collection, '?limit=10000&bbox=.5,.5,1.5,1.5');
        const nulls = (await itemsOf(collection, '?limit=10000')).features.filter(({ geometry }) => !geometry);
        const found = new Set(some.features.map(({ id }) => id));
        for (const { id } of nulls) assert.ok(found.has(id), `${collection.id}: ${id}`);
        for (const query of ['limit=x', 'limit=0', 'bbox=1,2,3', 'bbox=a,b,c,d', 'datetime=soon', 'unknown=1', 'f=x'])
          assert.equal(await statusOf(`${root}/collections/${collection.id}/items?${query}`), 400, query);
        assert.equal(await statusOf(`${root}/collections/${collection.id}?unknown=1`), 400);
      }
      assert.equal(await statusOf(`${root}/collections/lab.no-such`), 404);
    });

    it('core: fc-time-response', async () => {
      for (const collection of collections) {
        const all = (await itemsOf(collection, '?limit=1')).numberMatched;
        for (const open of [
          '0001-01-01T00:00:00Z/..',
          '../9999-12-31T23:59:59Z',
          '/9999-12-31T23:59:59Z',
          '0001-01-01T00:00:00Z/',
        ])
          assert.equal((await itemsOf(collection, `?limit=1&datetime=${open}`)).numberMatched, all, collection.id);
      }
    });

    it('core: f-op, f-success, f-links; geojson: content', async () => {
      for (const collection of collections) {
        const { features } = await itemsOf(collection, '?limit=10000');
        for (const feature of [...features.slice(0, 5), ...features.slice(-1)]) {
          const url = `${root}/collections/${collection.id}/items/${encodeURIComponent(feature.id)}`;
          const { links = [], ...found } = await get<Feature>(url, geoJson);
          assert.deepEqual(found, feature);
          assert.deepEqual(ogcErrors('featureGeoJSON', found), []);
          assertLinks(links, 'self', 'alternate', 'collection');
        }
        assert.equal(new Set(features.map(({ id }) => String(id))).size, features.length, collection.id);
        assert.equal(await statusOf(`${root}/collections/${collection.id}/items/no-such`), 404);
      }
    });

    it('html: definition, content', async () => {
      for (const path of ['/', '/conformance', '/api', '/collections']) await isPage(root + path);
      for (const { id } of collections)
        for (const below of ['', '/items', '/queryables', '/schema', '/sortables'])
          await isPage(`${root}/collections/${id}${below}`);
    });

    const schemaOf = ({ id }: Collection, kind: string) =>
      get<Schema>(`${root}/collections/${id}/${kind}`, 'application/schema+json');

    it('schemas: all; advanced-property-roles: all; returnables: link, op-and-response, response-1', async () => {
      for (const collection of collections)
        for (const kind of ['schema', 'queryables', 'sortables']) {
          const schema = await schemaOf(collection, kind);
          assert.deepEqual(jsonSchemaErrors(schema), []);
          assert.equal(schema.$id, `${root}/collections/${collection.id}/${kind}`);
          assert.equal(collection.links.find(({ rel }) => rel === relation(kind))?.href, schema.$id);
          assert.equal(schema.type, 'object');
          const properties = Object.entries(schema.properties);
          for (const [name, { type, format }] of properties)
            assert.ok(type ?? format?.startsWith('geometry-'), `${collection.id} ${name}`);
          const roles = properties.flatMap(([, property]) => property['x-ogc-role'] ?? []);
          assert.equal(new Set(roles).size, roles.length);
          if (kind !== 'schema') continue;
          assert.ok(roles.includes('id'));
          const [, id] = properties.find(([, property]) => property['x-ogc-role'] === 'id') ?? [];
          for (const feature of (await itemsOf(collection, '?limit=10000')).features) {
            assert.equal(typeof feature.id, id?.type === 'integer' ? 'number' : 'string', collection.id);
            for (const [name, value] of Object.entries(feature.properties))
              assert.ok(isOfType(value, schema.properties[name]?.type), `${collection.id} ${name}: ${value}`);
          }
        }
    });

    it('queryables: get-queryables-uris, get-queryables; queryables-query-parameters: query-param', async () => {
      for (const collection of collections) {
        const response = await fetch(`${root}/collections/${collection.id}/items`, { method: 'HEAD' });
        assert.match(
          response.headers.get('link') ?? '',
          new RegExp(`<[^>]*/queryables>; rel="${relation('queryables')}"`),
        );
        const { properties } = await schemaOf(collection, 'queryables');
        const [feature] = (await itemsOf(collection, '?limit=1')).features;
        const parameters = new Map(parametersOf(collection.id).map((one) => [one.name, one.schema]));
        for (const [name, { type, format }] of Object.entries(properties)) {
          if (format?.startsWith('geometry-')) continue;
          assert.deepEqual(parameters.get(name), { type, ...(format && { format }) }, name);
          const value = feature?.properties[name] ?? null;
          if (value === null) continue;
          const query = `?${new URLSearchParams({ [name]: String(value), limit: '10000' })}`;
          const { features } = await itemsOf(collection, query);
          assert.ok(features.length > 0, `${collection.id} ${query}`);
          for (const one of features) assert.equal(one.properties[name], value, `${collection.id} ${name}`);
        }
        for (const [name, { type }] of Object.entries(properties))
          if (type && type !== 'string') {
            const query = new URLSearchParams({ [name]: 'no such value' });
            assert.equal(await statusOf(`${root}/collections/${collection.id}/items?${query}`), 400, name);
          }
      }
    });

    it('filter: get-functions', async () => {
      assert.deepEqual(ogcErrors('functions', await get(`${root}/functions`)), []);
    });

    it('filter: filter-param, filter-lang-default, expression-construction, filter-crs; features-filter: mixing-expression', async () => {
      for (const collection of collections) {
        const items = (parameters: Record<string, string>) =>
          itemsOf(collection, `?${new URLSearchParams({ limit: '10000', ...parameters })}`);
        const { properties } = await schemaOf(collection, 'queryables');
        const all = (await items({})).features;
        const name = Object.keys(properties).find((one) => properties[one]?.type);
        if (name !== undefined) {
          const filter = `"${name.replaceAll('"', '""')}" IS NULL`;
          const missing = all.filter((feature) => feature.properties[name] === null).map(({ id }) => id);
          for (const language of [{}, { 'filter-lang': 'cql2-text' }])
            assert.deepEqual(
              (await items({ filter, ...language })).features.map(({ id }) => id),
              missing,
              filter,
            );
        }
        const [west = -180, south = -90, east = 180, north = 90] = collection.extent?.spatial?.bbox[0] ?? [];
        if (collection.extent?.spatial) {
          const filter = `S_INTERSECTS(geometry,BBOX(${[west, south, east, north]}))`;
          const crs = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
          const located = all.filter(({ geometry }) => geometry).map(({ id }) => id);
          for (const more of [{}, { 'filter-crs': crs }, { bbox: String([west, south, east, north]) }])
            assert.deepEqual(
              (await items({ filter, ...more })).features.map(({ id }) => id),
              located,
              collection.id,
            );
        }
        for (const wrong of [
          { filter: 'THIS IS NOT A FILTER' },
          { filter: 'this_is_not_a_queryable IS NULL' },
          { filter: 'TRUE', 'filter-lang': 'sql' },
          { filter: 'TRUE', 'filter-crs': 'http://www.opengis.net/def/crs/EPSG/0/3857' },
        ])
          assert.equal(await statusOf(`${root}/collections/${collection.id}/items?${new URLSearchParams(wrong)}`), 400);
      }
    });

    it('sorting: sortby-param, sortby-order-default, expression-construction', async () => {
      for (const collection of collections) {
        const [name] = Object.keys((await schemaOf(collection, 'sortables')).properties);
        assert.equal(await statusOf(`${root}/collections/${collection.id}/items?sortby=this_is_not_a_sortable`), 400);
        if (name === undefined) continue;
        const quoted = `"${name.replaceAll('"', '""')}"`;
        const sorted = async (sign: string) => {
          const query = new URLSearchParams({ sortby: quoted.includes('""') ? quoted : sign + name, limit: '10000' });
          return (await itemsOf(collection, `?${query}`)).features.map(({ properties }) => properties[name] ?? null);
        };
        const up = await sorted('');
        assert.deepEqual(await sorted('+'), up);
        const present = up.filter((value) => value !== null) as (string | number)[];
        assert.deepEqual(
          present,
          present.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
          collection.id,
        );
      }
    });
  });

/** True for a value of the type, and for a missing one. */
function isOfType(value: unknown, type: string | undefined): boolean {
  if (value === null) return true;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return typeof value === type;
}

function positionsOf(coordinates: unknown): readonly number[][] {
  if (!Array.isArray(coordinates)) return [];
  return typeof coordinates[0] === 'number' ? [coordinates] : coordinates.flatMap(positionsOf);
}

async function copyOfExample() {
  const root = mkdtempSync(join(tmpdir(), 'ogc-'));
  cpSync(new URL('../../catalogue-data', import.meta.url), root, { recursive: true });
  return { root, remove: async () => rmSync(root, { recursive: true, force: true }) };
}

async function hostileFolder() {
  const workshop = await makeWorkshop();
  await publishHostileRows(workshop);
  return workshop;
}
