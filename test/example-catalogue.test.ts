/** The example catalogue is what a newcomer sees first: real data, complete records, licences that are kept. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { type RecordKind, type RecordOf, schemas } from '../src/catalogue/schemas.ts';

const root = fileURLToPath(new URL('../catalogue-data/', import.meta.url));
const paths = readdirSync(root, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => !path.startsWith('.catalogue') && statSync(join(root, path)).isFile())
  .sort();

const patterns: Readonly<Record<RecordKind, RegExp>> = {
  settings: /^catalogue\.yaml$/,
  namespace: /^namespaces\/[^/]+\/namespace\.yaml$/,
  dataset: /^namespaces\/[^/]+\/datasets\/[^/]+\/dataset\.yaml$/,
  version: /^namespaces\/[^/]+\/datasets\/[^/]+\/versions\/\d{20}\.yaml$/,
  query: /^queries\/[^/]+\.yaml$/,
  group: /^groups\/[^/]+\.yaml$/,
  user: /^users\/[^/]+\.yaml$/,
};
const kinds = Object.keys(patterns) as RecordKind[];

/** The records of a kind by their paths, as they stand in the files. */
function records<K extends RecordKind>(kind: K): ReadonlyMap<string, RecordOf<K>> {
  const found = paths.filter((path) => patterns[kind].test(path));
  return new Map(found.map((path) => [path, parse(readFileSync(join(root, path), 'utf8')) as RecordOf<K>]));
}

const datasets = records('dataset');
const versions = records('version');
const payloads = paths.filter((path) => /^namespaces\/[^/]+\/datasets\/[^/]+\/data\//.test(path));
const sources = readFileSync(join(root, 'SOURCES.md'), 'utf8');
const payloadOf = (path: string, version: RecordOf<'version'>) =>
  join(dirname(dirname(path)), 'data', version.file?.name ?? '').replaceAll('\\', '/');
const versionsOf = (dataset: string) => [...versions].filter(([path]) => path.startsWith(`${dirname(dataset)}/`));

interface Feature {
  properties: Record<string, unknown>;
  geometry: { type: string; coordinates: unknown } | null;
}
const featuresOf = (path: string) =>
  (JSON.parse(readFileSync(join(root, path), 'utf8')) as { features: Feature[] }).features;

function* positions(coordinates: unknown): Generator<readonly [number, number, ...number[]]> {
  if (!Array.isArray(coordinates)) return;
  if (typeof coordinates[0] === 'number') yield coordinates as unknown as [number, number, ...number[]];
  else for (const part of coordinates) yield* positions(part);
}

const polygonsOf = ({ geometry }: Feature): unknown[][] => {
  if (geometry?.type === 'Polygon') return [geometry.coordinates as unknown[]];
  return geometry?.type === 'MultiPolygon' ? (geometry.coordinates as unknown[][]) : [];
};

/** The kinds of value in a column: what its type must follow from. */
const kindsOfValues = (features: readonly Feature[], name: string) =>
  new Set(
    features
      .map(({ properties }) => properties[name])
      .filter((value) => value !== null && value !== undefined)
      .map((value) => (typeof value !== 'number' ? typeof value : Number.isInteger(value) ? 'integer' : 'float')),
  );

describe('the example catalogue', () => {
  it('has records that fit their schemas, with known keys in the order of the schema', () => {
    const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
    for (const kind of kinds) {
      const validate = ajv.compile(schemas[kind]);
      const order = Object.keys(schemas[kind].properties);
      const all = records(kind);
      assert.ok(all.size > 0, `no ${kind}`);
      for (const [path, record] of all) {
        assert.ok(validate(record), `${path}: ${ajv.errorsText(validate.errors)}`);
        const keys = Object.keys(record);
        const known = order.filter((key) => keys.includes(key));
        assert.deepEqual(keys, known, path);
      }
    }
  });

  it('has no file whose use is unknown', () => {
    const others = /^(SOURCES\.md|\.gitignore|\.gitattributes|site_media\/thumbnails\/.+\.svg)$/;
    const known = (path: string) =>
      payloads.includes(path) || others.test(path) || kinds.some((kind) => patterns[kind].test(path));
    assert.deepEqual(
      paths.filter((path) => !known(path)),
      [],
    );
  });

  it('has identifiers that are unique within their kind', () => {
    for (const kind of kinds.filter((each) => each !== 'settings')) {
      const ids = [...records(kind).values()].map((record) => (record as { id?: number }).id);
      assert.ok(!ids.includes(undefined), `a ${kind} without id`);
      assert.equal(new Set(ids).size, ids.length, `two of kind ${kind} share an id`);
    }
  });

  it('has versions whose checksum and size are those of their payload', () => {
    const named = new Set<string>();
    for (const [path, version] of versions) {
      const slug = basename(path, '.yaml');
      const bytes = readFileSync(join(root, payloadOf(path, version)));
      named.add(payloadOf(path, version));
      assert.equal(version.checksum, createHash('sha256').update(bytes).digest('hex'), path);
      assert.equal(version.file?.size, bytes.length, path);
      assert.equal(version.label, slug, path);
      assert.equal(version.datetime?.replace(/\D/g, ''), slug.slice(0, 17), path);
      assert.equal(version.ready, true, path);
      assert.ok(version.notes, path);
    }
    assert.deepEqual([...named].sort(), payloads);
  });

  it('has versions of geodata with the right rows, bounding box and summary', () => {
    for (const [path, version] of versions) {
      const summary = version.metadata as { rows: number; format: string };
      assert.equal(summary.rows, version.rows, path);
      assert.equal(summary.format, version.file?.format, path);
      if (version.file?.format !== 'geojson') continue;
      const features = featuresOf(payloadOf(path, version));
      assert.equal(version.rows, features.length, path);
      let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
      for (const { geometry } of features) {
        for (const [x, y] of positions(geometry?.coordinates)) {
          [west, south, east, north] = [Math.min(west, x), Math.min(south, y), Math.max(east, x), Math.max(north, y)];
        }
      }
      assert.deepEqual(version.bbox, [west, south, east, north], path);
    }
  });

  it('has columns that are those of the newest version, geometry first, all labelled', () => {
    for (const [path, dataset] of datasets) {
      const [file, version] = versionsOf(path).at(-1) ?? assert.fail(`${path} has no version`);
      const payload = payloadOf(file, version);
      const columns = dataset.columns ?? [];
      const names = columns.map(({ name }) => name);
      assert.ok(
        columns.every(({ label }) => label),
        path,
      );
      if (version.file?.format === 'csv') {
        const [header = ''] = readFileSync(join(root, payload), 'utf8').split(/\r?\n/);
        assert.deepEqual(names, header.split(','), path);
        continue;
      }
      const features = featuresOf(payload);
      const properties = new Set(features.flatMap((feature) => Object.keys(feature.properties)));
      assert.deepEqual(names, ['geometry', ...properties], path);
      assert.equal(columns[0]?.type, 'geometry', path);
      for (const { name, type } of columns.slice(1)) {
        const seen = kindsOfValues(features, name);
        const expected = seen.has('float') ? 'float' : ([...seen][0] ?? 'string');
        assert.ok(![...seen].includes('string') || seen.size === 1, `${path}: ${name} mixes types`);
        assert.equal(type, expected, `${path}: ${name}`);
      }
    }
  });

  it('shows points, lines, polygons with holes, heights, a table and a history', () => {
    assert.ok(records('namespace').size >= 2);
    assert.ok(datasets.size >= 6);
    const features = [...versions].flatMap(([path, version]) =>
      version.file?.format === 'geojson' ? featuresOf(payloadOf(path, version)) : [],
    );
    const types = new Set(features.map(({ geometry }) => geometry?.type));
    for (const type of ['Point', 'LineString', 'Polygon', 'MultiPolygon']) assert.ok(types.has(type), type);
    assert.ok(features.some((feature) => polygonsOf(feature).some((rings) => rings.length > 1)));
    assert.ok(
      features.some(
        ({ geometry }) => geometry?.type === 'Point' && [...positions(geometry.coordinates)][0]?.length === 3,
      ),
    );
    const tables = [...datasets.values()].filter(({ columns = [] }) =>
      columns.every(({ type }) => type !== 'geometry'),
    );
    assert.ok(tables.length >= 1);
    assert.ok([...datasets.keys()].some((path) => versionsOf(path).length >= 2));
  });

  it('says of every dataset what it is, whose it is and how it may be used', () => {
    for (const [path, { description, keywords, licence, publisher, thumbnail_image: thumbnail }] of datasets) {
      assert.ok(description && description.length > 80, path);
      assert.ok(keywords && keywords.length >= 3, path);
      assert.ok(publisher, path);
      assert.match(licence ?? '', /^[A-Za-z0-9.-]+$/, path);
      assert.doesNotMatch(licence ?? '', /ODbL|-SA\b|GPL/i, `${path} is share-alike`);
      if (thumbnail) assert.ok(statSync(join(root, thumbnail)).size < 40_000, thumbnail);
    }
  });

  it('lists every payload with its checksum in SOURCES.md', () => {
    const sections = sources.split(/^- /m);
    for (const [path, version] of versions) {
      const section = sections.find((text) => text.startsWith(`\`${payloadOf(path, version)}\``));
      assert.ok(section, `${payloadOf(path, version)} isn't listed`);
      assert.ok(section.includes(version.checksum ?? '?'), path);
      for (const part of ['Source:', 'Commit:', 'Licence:', 'Conversion:']) assert.ok(section.includes(part), path);
    }
  });

  it('has groups, users and queries that refer to what is there', () => {
    const groups = new Set([...records('group').keys()].map((path) => basename(path, '.yaml')));
    const memberships = [...records('user').values()].flatMap((user) => user.groups ?? []);
    const owners = [...records('namespace').values()].flatMap((namespace) => namespace.owners ?? []);
    for (const group of [...memberships, ...owners]) assert.ok(groups.has(group), group);
    for (const [path, { dataset, parameters = {} }] of records('query')) {
      const record = datasets.get(`namespaces/${dataset.replace('/', '/datasets/')}/dataset.yaml`);
      const names = new Set(record?.columns?.map(({ name }) => name));
      for (const parameter of Object.keys(parameters)) {
        const ours = parameter.startsWith('_');
        assert.ok(
          ours || names.has(parameter) || names.has(parameter.replace(/__[a-z]+$/, '')),
          `${path}: ${parameter}`,
        );
      }
    }
  });

  it('is small, and git leaves its payloads alone', () => {
    const size = paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
    assert.ok(size < 8_000_000, `${size} bytes`);
    assert.match(
      readFileSync(join(root, '.gitattributes'), 'utf8'),
      /^namespaces\/\*\/datasets\/\*\/data\/\*\* -text -merge$/m,
    );
    assert.match(readFileSync(join(root, '.gitignore'), 'utf8'), /^\.catalogue\/$/m);
    assert.ok(existsSync(join(root, 'SOURCES.md')));
  });
});
