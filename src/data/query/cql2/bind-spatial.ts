/** Conditions of geometries in a CQL2 tree as predicates of a table. */
import { excerpt } from '../../../catalogue/errors.ts';
import { bboxOfGeometry, bboxToGeometry } from '../../geometry/bounding-box.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { bboxFromNumbers } from '../../geometry/parse-geometry.ts';
import type { TableSchema } from '../../row.ts';
import { distancePredicate } from '../lookups.ts';
import type { Predicate, SpatialOperator } from '../predicate.ts';
import { atPlace, bindColumn, bindExpression, distanceFunction } from './bind-expression.ts';
import { type CallNode, type Cql2Node, failAt, type Place } from './tree.ts';

/** Spatial operators by the one that means the same with the geometries exchanged. */
const converseOperators: Readonly<Partial<Record<SpatialOperator, SpatialOperator>>> = {
  within: 'contains',
  contains: 'within',
};
/** Fails for positions that are not on the earth, as annex A wants it; longitudes may go round it once more. */
function assertLatitudes(geometry: Geometry, at: Place): Geometry {
  const box = bboxOfGeometry(geometry);
  if (box === null || (box[1] >= -90 && box[3] <= 90)) return geometry;
  return failAt(`The latitude ${box[3] > 90 ? box[3] : box[1]} is not between -90 and 90`, at);
}

/** A geometry; null for that of the row. */
function bindGeometry(node: Cql2Node, schema: TableSchema): Geometry | null {
  if (node.kind === 'geometry') return assertLatitudes(node.geometry, node.at);
  if (node.kind === 'bbox')
    return assertLatitudes(
      atPlace(() => bboxToGeometry(bboxFromNumbers(node.numbers)), node.at),
      node.at,
    );
  if (node.kind === 'property') {
    const { name, type } = bindColumn(node, schema);
    return type === 'geometry' ? null : failAt(`Column "${excerpt(name)}" holds no geometries`, node.at);
  }
  const { type } = bindExpression(node, schema);
  return failAt(`Expected a geometry such as POINT(1 2) or BBOX(…) but found a ${type}`, node.at);
}

/** Binds a spatial function of two geometries. */
export function bindSpatial({ op, args }: CallNode, schema: TableSchema, parameter: string): Predicate {
  const [first, second] = args.map((arg) => bindGeometry(arg, schema)) as [Geometry | null, Geometry | null];
  const test = op.slice(2) as SpatialOperator;
  if (first === null && second !== null) return { op: 'spatial', test, geometry: second, parameter };
  if (first !== null && second === null)
    return { op: 'spatial', test: converseOperators[test] ?? test, geometry: first, parameter };
  return { op: 'relation', test, geometries: [first, second], parameter };
}

/** Binds the test of a distance, in metres by default. */
export function bindDistance({ args, at }: CallNode, schema: TableSchema, parameter: string): Predicate {
  const [first, second, distance, unit = { kind: 'literal', value: 'm', at: '' }, ...others] = args;
  if (!first || !second || !distance || others.length > 0)
    failAt(`${distanceFunction} takes 2 geometries, a distance and a unit`, at);
  const geometries = [bindGeometry(first, schema), bindGeometry(second, schema)];
  const [geometry = null] = geometries.filter((one) => one !== null);
  if (geometry === null || geometries.every((one) => one !== null))
    failAt(`${distanceFunction} compares the geometry of the rows with another`, at);
  const length = bindExpression(distance, schema);
  if (length.kind !== 'value' || typeof length.value !== 'number') failAt('A distance is a number', distance.at);
  if (length.value < 0) failAt('A distance is not negative', distance.at);
  if (unit.kind !== 'literal' || !['m', 'km', 'deg'].includes(String(unit.value)))
    failAt("Expected 'm', 'km' or 'deg'", unit.at);
  return distancePredicate(geometry, length.value, String(unit.value), parameter);
}
