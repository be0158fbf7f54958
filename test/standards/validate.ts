/** Checks of documents with the official schemas and shapes of the standards (`schemas/README.md`). */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import jsonld from 'jsonld';
import { Parser, type Quad, Writer } from 'n3';
import Validator from 'rdf-validate-shacl';
import environment from 'rdf-validate-shacl/src/defaultEnv.js';
import { parse as parseYaml } from 'yaml';

// These packages are CommonJS, with types for both.
const require = createRequire(import.meta.url);
const Ajv = require('ajv').default as typeof import('ajv').default;
const AjvDraft4 = require('ajv-draft-04').default as typeof import('ajv').default;
const Ajv2020 = require('ajv/dist/2020').default as typeof import('ajv').default;
const addFormats = require('ajv-formats').default as (ajv: object) => void;

const folder = new URL('./schemas/', import.meta.url);
const read = (path: string): AnySchemaObject => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));

function newAjv(Class: typeof Ajv, options = {}) {
  const ajv = new Class({ strict: false, allErrors: true, logger: false, ...options });
  addFormats(ajv);
  for (const name of ['iri', 'iri-reference']) ajv.addFormat(name, true);
  return ajv;
}

function errorsOf(validate: ValidateFunction, document: unknown): readonly string[] {
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

export const dataPackageErrors = makeValidator(() => newAjv(Ajv).compile(read('datapackage/datapackage.json')));

export const tileJsonErrors = makeValidator(() => newAjv(Ajv).compile(read('tilejson/tilejson.json')));

function makeValidator(compile: () => ValidateFunction): (document: unknown) => readonly string[] {
  let validate: ValidateFunction | undefined;
  return (document) => {
    validate ??= compile();
    return errorsOf(validate, document);
  };
}

/** Problems of a STAC Catalog or Collection, and of its extensions. */
export function stacErrors(document: {
  type: string;
  stac_extensions?: readonly string[];
  links: readonly { rel: string; href: string }[];
}) {
  stacAjv ??= newStacAjv();
  const ajv = stacAjv;
  const kind = document.type.toLowerCase();
  const core = ajv.getSchema(`https://schemas.stacspec.org/v1.1.0/${kind}-spec/json-schema/${kind}.json`);
  if (!core) return [`${document.type} is no kind of STAC`];
  const extensions = (document.stac_extensions ?? []).map((url) => ajv.getSchema(url.replace(/#$/, '')));
  const missing = ['self', 'root'].filter((rel) => !document.links.some((link) => link.rel === rel));
  return [...[core, ...extensions].flatMap((one) => errorsOf(one as ValidateFunction, document)), ...missing];
}

let stacAjv: InstanceType<typeof Ajv> | undefined;

function newStacAjv() {
  const ajv = newAjv(Ajv);
  for (const name of readdirSync(new URL('stac/', folder)).filter(
    (name) => !name.includes('-') || name === 'data-values.json',
  )) {
    const part = ['catalog.json', 'collection.json'].includes(name) ? name.slice(0, -5) : 'item';
    ajv.addSchema({
      ...read(`stac/${name}`),
      $id: `https://schemas.stacspec.org/v1.1.0/${part}-spec/json-schema/${name}`,
    });
  }
  for (const name of ['Geometry', 'Feature'])
    ajv.addSchema(read(`stac/geojson-${name}.json`), `https://geojson.org/schema/${name}.json`);
  for (const name of ['table', 'file']) ajv.addSchema(read(`stac/ext-${name}.json`));
  return ajv;
}

const newDcatUsAjv = () => newAjv(AjvDraft4, { unicodeRegExp: false });

const dcatUsDatasetErrors = makeValidator(() =>
  newDcatUsAjv().compile(withoutId(read('dcat-us/dataset-non-federal.json'))),
);

const dcatUsCatalogErrors = makeValidator(() => {
  const catalog = withoutId(read('dcat-us/catalog.json'));
  return newDcatUsAjv().compile({ ...catalog, properties: { ...catalog.properties, dataset: { type: 'array' } } });
});

/** Problems of a data.json in DCAT-US 1.1, of those that aren't federal. */
export const dcatUsErrors = (document: { dataset: readonly unknown[] }): readonly string[] => [
  ...dcatUsCatalogErrors(document),
  ...document.dataset.flatMap(dcatUsDatasetErrors),
];

/** Relative ids of the schemas would be resolved against nothing. */
const withoutId = ({ id: _, ...schema }: AnySchemaObject): AnySchemaObject => schema;

const parseTurtle = (text: string): readonly Quad[] => new Parser({ baseIRI: 'http://example.org/' }).parse(text);

/** Contexts are part of the documents, except for that of schema.org: nothing is fetched. */
const schemaOrgContext = {
  '@context': {
    '@vocab': 'http://schema.org/',
    url: { '@type': '@id' },
    license: { '@type': '@id' },
    contentUrl: { '@type': '@id' },
  },
};

const jsonLdOptions = {
  base: 'http://example.org/',
  documentLoader: async (documentUrl: string) => {
    if (!/^https?:\/\/schema\.org\/?$/.test(documentUrl)) throw new Error(`${documentUrl} would be fetched.`);
    return { document: schemaOrgContext, documentUrl };
  },
};

async function quadsOf(document: string | object): Promise<readonly Quad[]> {
  if (typeof document === 'string') return parseTurtle(document);
  const options = { ...jsonLdOptions, format: 'application/n-quads' } as const;
  return parseTurtle(String(await jsonld.toRDF(document as jsonld.JsonLdDocument, options)));
}

const datasetOf = (quads: readonly Quad[]) => environment.dataset([...quads]);
const shapeValidators = new Map<string, Validator>();

function readShapes(files: readonly string[]): Validator {
  const imports = 'http://www.w3.org/2002/07/owl#imports';
  const shapes = files.flatMap((file) => parseTurtle(readFileSync(new URL(file, folder), 'utf8')));
  return new Validator(datasetOf(shapes.filter(({ predicate }) => predicate.value !== imports)));
}

/**
 * Violations of the shapes in some files.
 * @param document JSON-LD as an object, or Turtle as a text
 */
async function shapeErrors(files: readonly string[], document: string | object): Promise<readonly string[]> {
  const validator = shapeValidators.get(files.join()) ?? readShapes(files);
  shapeValidators.set(files.join(), validator);
  const data = await quadsOf(document);
  const isDescribed = data.some(({ object }) => /(dcat|schema\.org).*(Dataset|Catalog)$/.test(object.value));
  if (!isDescribed) return ['There is no dataset in it: the shapes would find nothing to check.'];
  const { results } = await validator.validate(datasetOf(data));
  return results
    .filter(({ severity }) => !/Warning|Info/.test(severity?.value ?? ''))
    .map(
      ({ focusNode, path, message }) =>
        `${focusNode?.value} ${path?.value}: ${message.map(({ value }) => value).join()}`,
    );
}

export const dcatErrors = (document: string | object) =>
  shapeErrors(['dcat-ap/shapes.ttl', 'dcat-ap/deprecateduris.ttl', 'dcat-ap/range.ttl'], document);

/** The graph of a document in the canonical form of RDFC-1.0, as N-Quads: equal texts mean that two documents say the same. */
export async function canonicalGraph(document: string | object): Promise<string> {
  const isTurtle = typeof document === 'string';
  const input = isTurtle
    ? new Writer({ format: 'application/n-quads' }).quadsToString([...parseTurtle(document)])
    : document;
  const options: object = {
    ...jsonLdOptions,
    algorithm: 'RDFC-1.0',
    ...(isTurtle && { inputFormat: 'application/n-quads' }),
  };
  return String(await jsonld.canonize(input as jsonld.JsonLdDocument, options));
}

export const googleErrors = (document: object) => shapeErrors(['schema-org/googleRequired.ttl'], document);

interface CroissantNode {
  readonly [key: string]: unknown;
}

/** Vocabularies of Croissant. Its official examples and the reference implementation have schema.org with https, unlike its text. */
const croissantVocabularies = ['https://schema.org/', 'http://mlcommons.org/croissant/', 'http://purl.org/dc/terms/'];

/** Properties, types and types of data in expanded JSON-LD. */
function termsOf(expanded: unknown): readonly string[] {
  if (Array.isArray(expanded)) return expanded.flatMap(termsOf);
  if (typeof expanded !== 'object' || expanded === null) return [];
  return Object.entries(expanded).flatMap(([key, value]) => {
    if (key === '@type') return value;
    const types = key.endsWith('/dataType') ? value.map((type: CroissantNode) => type['@id']) : [];
    return [...(key.startsWith('@') ? [] : [key]), ...types, ...termsOf(value)];
  });
}

/** Problems of a document in Croissant 1.1, by the text of the specification: there is no official schema. */
export async function croissantErrors(document: CroissantNode): Promise<readonly string[]> {
  const [schemaOrg] = croissantVocabularies;
  const expanded = await jsonld.expand(document as jsonld.JsonLdDocument, jsonLdOptions);
  const terms = termsOf(expanded);
  const errors = terms
    .filter((term) => !croissantVocabularies.some((vocabulary) => term.startsWith(vocabulary)))
    .map((term) => `${term} is in no vocabulary of Croissant`);
  if (!terms.includes(`${schemaOrg}Dataset`)) errors.push('no Dataset');
  const demanded = ['name', 'description', 'license', 'url', 'creator', 'datePublished', 'distribution'];
  for (const key of demanded) if (!expanded[0]?.[`${schemaOrg}${key}`]) errors.push(`${key} is missing`);
  if (document.conformsTo !== 'http://mlcommons.org/croissant/1.1') errors.push('conformsTo');
  const files = document.distribution as readonly CroissantNode[];
  const ids = new Set<unknown>(files.map((file) => file['@id']));
  for (const file of files) {
    if (!file.contentUrl || !file.encodingFormat)
      errors.push(`${file['@id']}: contentUrl or encodingFormat is missing`);
    if (!/^[0-9a-f]{64}$/.test(String(file.sha256))) errors.push(`${file['@id']}: sha256`);
  }
  for (const { field } of (document.recordSet ?? []) as readonly { field: readonly CroissantNode[] }[])
    for (const { '@id': id, dataType, source } of field) {
      if (ids.has(id)) errors.push(`${id} is used twice`);
      ids.add(id);
      const { fileObject, extract } = source as { fileObject: CroissantNode; extract: CroissantNode };
      if (!dataType || !ids.has(fileObject['@id'])) errors.push(`${id}: dataType or source`);
      if (!extract.column && !extract.jsonPath) errors.push(`${id}: extract`);
    }
  return errors;
}

/** A schema of OGC API - Features, with the others in it; in YAML, null as a type is the name of a type. */
function ogcSchema(name: string): AnySchemaObject {
  const text = readFileSync(new URL(`ogc-features/${name}`, folder), 'utf8');
  const inline = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inline);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, example: _, ...members } = part as Record<string, unknown>;
    // Geometries may hold geometries: their schema is that of GeoJSON.
    if ($ref === 'geometryGeoJSON.yaml') return read('stac/geojson-Geometry.json');
    if (typeof $ref === 'string') return ogcSchema($ref);
    const named = (type: unknown) => type ?? 'null';
    return Object.fromEntries(
      Object.entries(members).map(([key, value]) => [
        key,
        key === 'type'
          ? Array.isArray(value)
            ? value.map(named)
            : typeof value === 'object' && value
              ? inline(value)
              : named(value)
          : inline(value),
      ]),
    );
  };
  return inline(parseYaml(text)) as AnySchemaObject;
}

const ogcValidators = new Map<string, (document: unknown) => readonly string[]>();

/** Problems of a document of OGC API - Features. @param name of the schema, such as `collections` */
export function ogcErrors(name: string, document: unknown): readonly string[] {
  const compile = () => newAjv(Ajv, { validateSchema: false }).compile(withoutIds(ogcSchema(`${name}.yaml`)));
  const validate = ogcValidators.get(name) ?? makeValidator(compile);
  ogcValidators.set(name, validate);
  return validate(document);
}

/** A schema without the ids of the schemas in it, which would be the same several times. */
function withoutIds(schema: AnySchemaObject): AnySchemaObject {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === '$id' || key === '$schema' ? undefined : value)));
}

export const openApi30Errors = makeValidator(() =>
  newAjv(AjvDraft4).compile(
    withoutId(parseYaml(readFileSync(new URL('openapi/schema-3.0.yaml', folder), 'utf8')) as AnySchemaObject),
  ),
);

let schemaAjv: InstanceType<typeof Ajv> | undefined;

/** Problems of a JSON Schema of 2020-12. */
export function jsonSchemaErrors(schema: AnySchemaObject): readonly string[] {
  schemaAjv ??= newAjv(Ajv2020);
  return schemaAjv.validateSchema(schema) ? [] : [schemaAjv.errorsText()];
}

const featureCollectionErrors = makeValidator(() => newAjv(Ajv).compile(read('geojson/FeatureCollection.json')));

type Ring = readonly (readonly number[])[];
interface Shape {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly Shape[];
}

/**
 * Problems of a collection of features by RFC 7946: schema, sections 3.1.6 (rings are closed, outer ones counterclockwise),
 * 4 (degrees, no crs).
 * @param isPayload true if these are the bytes of a publisher's file, whose rings keep their direction (decision 0075)
 */
export function geoJsonErrors(
  document: { type?: string; crs?: unknown; features: readonly { geometry: Shape | null }[] },
  isPayload = false,
) {
  const errors = new Set(featureCollectionErrors(document));
  if (document.crs !== undefined) errors.add('crs');
  const checkRings = (rings: readonly Ring[]) => {
    for (const [i, ring] of rings.entries()) {
      const area = ring.reduce((sum, [x = 0, y = 0], at) => {
        const [beforeX = 0, beforeY = 0] = ring[at - 1] ?? ring[0] ?? [];
        return sum + beforeX * y - x * beforeY;
      }, 0);
      // Rounding decides about rings without an area.
      if (!isPayload && Math.abs(area) > 1e-9 && area > 0 !== (i === 0))
        errors.add(`A ring runs the wrong way: ${ring}`);
      if (String(ring[0]) !== String(ring.at(-1))) errors.add(`A ring is open: ${ring}`);
      if (ring.some(([x = 0, y = 0]) => Math.abs(x) > 180 || Math.abs(y) > 90)) errors.add(`Not in degrees: ${ring}`);
    }
  };
  const check = (shape: Shape | null) => {
    if (shape?.type === 'Polygon') checkRings(shape.coordinates as Ring[]);
    if (shape?.type === 'MultiPolygon') for (const rings of shape.coordinates as Ring[][]) checkRings(rings);
    for (const one of shape?.geometries ?? []) check(one);
  };
  for (const { geometry } of document.features) check(geometry);
  return [...errors];
}

const geoMetadataErrors = makeValidator(() => {
  const ajv = newAjv(Ajv);
  ajv.addSchema({}, 'https://proj.org/schemas/v0.7/projjson.schema.json');
  // The schema of 2.0 is in its source; of 1.1, it differs in the number only for geometries that are WKB.
  const schema = JSON.parse(JSON.stringify(read('geoparquet/schema.json')).replace('2.0-dev', '1.1.0'));
  return ajv.compile(schema as AnySchemaObject);
});

interface GeoMetadata {
  readonly primary_column: string;
  readonly columns: Readonly<
    Record<string, { readonly geometry_types: readonly string[]; readonly covering?: { bbox: { xmin: string[] } } }>
  >;
}

/**
 * Problems of a GeoParquet file.
 * @param schema columns of the file
 * @param rows with geometries as GeoJSON
 */
export function geoParquetErrors(
  metadata: GeoMetadata,
  schema: readonly { readonly name: string; readonly type?: string }[],
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const errors = [...geoMetadataErrors(metadata)];
  if (!metadata.columns[metadata.primary_column]) errors.push(`primary_column ${metadata.primary_column}`);
  for (const [name, { geometry_types: types, covering }] of Object.entries(metadata.columns)) {
    if (schema.find((one) => one.name === name)?.type !== 'BYTE_ARRAY') errors.push(`${name} is no column of bytes`);
    const cover = covering?.bbox.xmin[0];
    if (cover !== undefined && !schema.some((one) => one.name === cover)) errors.push(`${cover} is no column`);
    const known = new Set(types.map((type) => type.replace(' Z', '')));
    for (const row of rows) {
      const shape = row[name] as Shape | null | undefined;
      if (shape && known.size && !known.has(shape.type)) errors.push(`${shape.type} is not in geometry_types`);
    }
  }
  return errors;
}
