/** Geometries moved in the plane, and joined into one. */
import { nesting } from './predicate.ts';
import type { Geometry } from './row.ts';

type Simple = Exclude<Geometry, { type: 'GeometryCollection' }>;

/** A geometry with each position's longitude and latitude put through a function; heights are dropped. */
export function moved(geometry: Geometry, move: (x: number, y: number) => number[]): Geometry {
  if (geometry.type === 'GeometryCollection') {
    return { type: geometry.type, geometries: geometry.geometries.map((part) => moved(part, move)) };
  }
  const walk = (value: unknown, levels: number): unknown => {
    const parts = value as unknown[];
    if (levels > 0) return parts.map((part) => walk(part, levels - 1));
    return parts.length < 2 ? [] : move(Number(parts[0]), Number(parts[1]));
  };
  return { type: geometry.type, coordinates: walk(geometry.coordinates, nesting[geometry.type]) } as Geometry;
}

/** One geometry of several of the same kind: the Multi form of simple ones. */
export function together(geometries: readonly Geometry[]): Geometry {
  const [first, ...others] = geometries;
  if (first && others.length === 0) return first;
  if (!first || first.type === 'GeometryCollection') {
    return {
      type: 'GeometryCollection',
      geometries: geometries.flatMap((part) => (part.type === 'GeometryCollection' ? part.geometries : [part])),
    };
  }
  const multi = first.type.startsWith('Multi');
  const coordinates = (geometries as Simple[]).flatMap((part): unknown[] =>
    multi ? part.coordinates : [part.coordinates],
  );
  return { type: multi ? first.type : `Multi${first.type}`, coordinates } as Geometry;
}
