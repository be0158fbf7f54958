/** What GeoParquet 1.1 says of a geometry column in the file's `geo` metadata, gathered while the rows go by. */
import type { Geometry } from '../row.ts';
import { hasZ } from './wkb.ts';

type Coordinates = readonly (number | Coordinates)[];

export class GeoMetadata {
  private readonly kinds = new Set<string>();
  /** Least and greatest x, y, z. */
  private readonly least = [Infinity, Infinity, Infinity];
  private readonly greatest = [-Infinity, -Infinity, -Infinity];

  add(geometry: Geometry): void {
    this.kinds.add(hasZ(geometry) ? `${geometry.type} Z` : geometry.type);
    this.extend(geometry);
  }

  /**
   * The metadata as JSON. There is no `crs`, which means longitude and latitude (OGC:CRS84), and no `bbox` where no
   * geometry has a position. A geometry that crosses the antimeridian in one piece has a box from end to end.
   */
  json(column: string): string {
    const dimensions = Number.isFinite(this.least[2]) ? 3 : 2;
    const bbox = [...this.least.slice(0, dimensions), ...this.greatest.slice(0, dimensions)];
    return JSON.stringify({
      version: '1.1.0',
      primary_column: column,
      columns: {
        [column]: {
          encoding: 'WKB',
          geometry_types: [...this.kinds].sort(),
          bbox: bbox.every(Number.isFinite) ? bbox : undefined,
        },
      },
    });
  }

  private extend(geometry: Geometry): void {
    if (geometry.type === 'GeometryCollection') for (const member of geometry.geometries) this.extend(member);
    else this.extendBy(geometry.coordinates);
  }

  private extendBy(coordinates: Coordinates): void {
    if (typeof coordinates[0] !== 'number') {
      for (const each of coordinates) this.extendBy(each as Coordinates);
      return;
    }
    for (let i = 0; i < 3 && i < coordinates.length; i++) {
      const number = coordinates[i] as number;
      if (number < (this.least[i] as number)) this.least[i] = number;
      if (number > (this.greatest[i] as number)) this.greatest[i] = number;
    }
  }
}
