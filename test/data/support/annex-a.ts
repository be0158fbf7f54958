/** The data and the predicates of CQL2's annex A, for tests that compute what must be found. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import { parseCql2 } from '../../../src/data/query/cql2/parse.ts';
import type { TableColumn, Value } from '../../../src/data/row.ts';
import * as plane from './plane-relations.ts';
import { rowOf, schemaOf } from './rows.ts';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/cql2/${name}`, import.meta.url), 'utf8');

export type Properties = Readonly<Record<string, Value>>;
export type Answer = boolean | null;
/** A predicate: its text, and its answer for a feature; null is unknown. */
export interface Case {
  readonly text: string;
  readonly answer: (properties: Properties, geometry: readonly plane.Simple[]) => Answer;
}

const types: Readonly<Record<string, TableColumn['type']>> = {
  ...{ NAME: 'string', POP_EST: 'integer', name: 'string', nameascii: 'string', pop_other: 'integer' },
  ...{ pop_min: 'integer', pop_max: 'integer', date: 'date', start: 'datetime', end: 'datetime', boolean: 'boolean' },
};
const schema = schemaOf(types);

function layer(name: string) {
  const { features } = JSON.parse(fixture(`data/${name}.geojson`)) as {
    features: { properties: Properties; geometry: Geometry }[];
  };
  return features.map(({ properties, geometry }) => ({
    properties,
    parts: plane.partsOf(geometry as never),
    row: rowOf(
      Object.keys(types).map((column) => properties[column] ?? null),
      geometry,
    ),
  }));
}
const layers = {
  countries: layer('ne_110m_admin_0_countries'),
  places: layer('ne_110m_populated_places_simple'),
  rivers: layer('ne_110m_rivers_lake_centerlines'),
};
export type Layer = keyof typeof layers;

/** Counts by the text of the predicate and its layer, of all that were checked in this process. */
const counted = new Map<string, number>();
const keyOf = (layer: string, text: string) =>
  `${layer}: ${text.replace(/\bgeom\b/g, 'geometry').replace(/'[^']*'|[A-Z]+/g, (part) => (part.startsWith("'") ? part : part.toLowerCase()))}`;

/** Compares what a predicate finds with its answers, feature by feature. @returns how many it finds */
export async function check(name: Layer, { text, answer }: Case): Promise<number> {
  const finds = await compilePredicate(parseCql2(text, schema), schema);
  let count = 0;
  for (const { properties, parts, row } of layers[name]) {
    const expected = answer(properties, parts) === true;
    assert.equal(finds(row), expected, `${text}: ${properties.name ?? properties.NAME}`);
    if (expected) count++;
  }
  counted.set(keyOf(name, text), count);
  return count;
}

const given = fixture('ats-predicates.tsv')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

/** Texts of the predicates of which the annex gives the counts. */
export const givenTexts = (): readonly string[] => given.map(([, , , text = '']) => text);

/**
 * Compares the counts that the annex gives with those of the predicates that were checked.
 * @param isCompared true for conformance classes to compare
 * @param others pattern of predicates that are not compared
 * @returns how many were compared, and the texts of those that weren't checked before
 */
export function givenCounts(isCompared: (conformanceClass: string) => boolean, others = /^$/) {
  const unknown: string[] = [];
  let known = 0;
  for (const [name = '', , data = '', text = '', expected] of given) {
    if (!isCompared(name) || others.test(text)) continue;
    const layer = /countries|places|rivers/.exec(data)?.[0] ?? '';
    const count = counted.get(keyOf(layer, text));
    if (count === undefined) unknown.push(text);
    else {
      // The annex is wrong there: https://github.com/opengeospatial/ogcapi-features/issues/1011
      assert.equal(count, text.includes("casei('Chiș%'))") ? 1 : Number(expected), text);
      known++;
    }
  }
  return { known, unknown };
}
