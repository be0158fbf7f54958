/**
 * Coordinate reference systems: their names in payloads, and the conversion of positions to longitude and latitude in WGS 84
 * by proj4. Easting (or longitude) is the first number of a position, whatever the axis order of the EPSG code is: so GDAL
 * and its kin write GeoJSON, WKT and GeoParquet (docs/decisions/0036-reference-systems.md).
 */
import { excerpt } from '../../catalogue/errors.ts';
import {
  datumOfWkt,
  identifyWktCrs,
  isBoundWkt,
  isGeocentricWkt,
  isGeographicWkt,
  isWktCrs,
  wktWithShift,
} from './crs-wkt.ts';
import { type Geometry, mapPositions } from './geometry.ts';

/** Conversion from a reference system to WGS 84. */
export interface Conversion {
  /** Longitude and latitude of a position; NaN if it has none. */
  toWgs84(x: number, y: number): number[];
  /** True if its positions are degrees, not metres or feet. */
  readonly isGeographic: boolean;
}

/** Names of WGS 84 as longitude and latitude. */
const wgs84 =
  /^(?:(?:urn:ogc:def:crs:)?OGC:(?:[\d.]*:)?CRS84h?|CRS:?84|https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/[^/]+\/CRS84h?)$/i;
const epsg =
  /^(?:EPSG:{1,2}|urn:(?:ogc|x-ogc):def:crs:EPSG:[^:]*:|https?:\/\/www\.opengis\.net\/(?:def\/crs\/EPSG\/[^/]+\/|gml\/srs\/epsg\.xml#)|SRID[:=])?(\d{1,6})$/i;

/** The name as people write it: `EPSG:25833` for a URN, a number or WKT; `OGC:CRS84` for WGS 84; other names as they are. */
export function normalizeCrsName(given: string): string {
  let text = given.trim();
  if (isWktCrs(text)) {
    const { name, code } = identifyWktCrs(text);
    const isWgs = /^(?:GCS_)?WGS_?(?:19)?84(?:_3D)?$/i.test(name.replaceAll(' ', '_')) && !isGeocentricWkt(text);
    if (code === null) return isWgs ? 'OGC:CRS84' : name;
    text = String(code);
  }
  if (wgs84.test(text)) return 'OGC:CRS84';
  const code = epsg.exec(text)?.[1];
  return code === undefined ? text : `EPSG:${Number(code)}`;
}

/** True if positions are longitude and latitude in WGS 84 as they are. */
export const isWgs84 = (name: string): boolean => /^(?:OGC:CRS84|EPSG:4326|EPSG:4979)$/.test(normalizeCrsName(name));

/** Zones of UTM by code: the first and the last code, the zone of the first one, and its datum. */
const utmZones: readonly (readonly [first: number, last: number, zone: number, datum: string])[] = [
  [32601, 32660, 1, '+datum=WGS84'],
  [32701, 32760, 1, '+south +datum=WGS84'],
  [25828, 25838, 28, '+ellps=GRS80'],
  [3040, 3049, 28, '+ellps=GRS80'],
  [26901, 26923, 1, '+ellps=GRS80'],
  [3708, 3726, 1, '+ellps=GRS80'],
  [6330, 6348, 1, '+ellps=GRS80'],
  [2955, 2957, 11, '+ellps=GRS80'],
  [2958, 2962, 17, '+ellps=GRS80'],
  [3154, 3157, 7, '+ellps=GRS80'],
  [3158, 3160, 14, '+ellps=GRS80'],
  [23028, 23038, 28, '+ellps=intl +datum=ED50'],
];

function utmDefinition(code: number): string | undefined {
  const zones = utmZones.find(([first, last]) => code >= first && code <= last);
  return zones && `+proj=utm +zone=${zones[2] + code - zones[0]} ${zones[3]}`;
}

let listed: Promise<ReadonlyMap<number, string>> | undefined;

/** The definitions of the lists by code. They are loaded when the first payload needs one. */
async function loadDefinitions(): Promise<ReadonlyMap<number, string>> {
  const [{ definitionsOfEurope }, { definitionsOfNorthAmerica }] = await Promise.all([
    import('./epsg-europe.ts'),
    import('./epsg-north-america.ts'),
  ]);
  const definitions = new Map<number, string>();
  for (const line of `${definitionsOfEurope}${definitionsOfNorthAmerica}`.split('\n')) {
    const start = line.indexOf('+');
    for (const code of line.slice(0, start).trim().split(' ')) definitions.set(Number(code), line.slice(start));
  }
  return definitions;
}

/** A reference system for proj4. */
interface Definition {
  readonly isGeographic: boolean;
  /** Datum with shifts in `datum-shifts.ts`; empty for none. */
  readonly datum: string;
  /** The text for proj4. @param shift parameters of the datum's shift; undefined for none */
  withShift(shift: string | undefined): string;
}

/** The definition of a reference system by its code or WKT; null if it isn't known. */
async function findDefinition(name: string): Promise<Definition | null> {
  const datum = isWktCrs(name) ? datumOfWkt(name) : null;
  const [authority, code] = normalizeCrsName(name).split(':');
  // The transformation that a file brings itself goes before that of the list.
  if (authority === 'EPSG' && !(datum !== null && isBoundWkt(name))) {
    listed ??= loadDefinitions();
    const text = utmDefinition(Number(code)) ?? (await listed).get(Number(code));
    if (text !== undefined) {
      const listedDatum = /\+datum=(\S+)/.exec(text)?.[1] ?? '';
      return {
        isGeographic: text.startsWith('+proj=longlat'),
        datum: listedDatum,
        withShift: (shift) =>
          `${shift === undefined ? text : text.replace(`+datum=${listedDatum}`, `+towgs84=${shift}`)} +no_defs`,
      };
    }
  }
  if (datum === null) return null;
  return {
    isGeographic: isGeographicWkt(name),
    datum,
    withShift: (shift) => wktWithShift(name, shift),
  };
}

/** True if positions of a reference system are metres or feet; false for an unknown one. @param name see `normalizeCrsName` */
export async function isProjectedCrs(name: string | undefined): Promise<boolean> {
  return name !== undefined && (await findDefinition(name))?.isGeographic === false;
}

/**
 * The conversion of positions from a reference system.
 * @param name EPSG code, URN, URL or WKT; see `normalizeCrsName`
 * @returns null if the system is unknown
 */
export async function loadCrsConversion(name: string): Promise<Conversion | null> {
  const definition = await findDefinition(name);
  if (!definition) return null;
  const [{ default: proj4 }, { shiftsOfDatum }] = await Promise.all([import('proj4'), import('./datum-shifts.ts')]);
  const inverseWith = (shift?: string): Inverse => proj4(definition.withShift(shift)).inverse;
  const shifts = shiftsOfDatum(definition.datum);
  let inverse: Inverse;
  try {
    inverse = inverseWith(shifts.at(-1)?.parameters);
  } catch {
    // A projection that proj4 doesn't have.
    return null;
  }
  const regions = shifts.map(({ area, parameters }) => ({ area, inverse: inverseWith(parameters) }));
  return {
    isGeographic: definition.isGeographic,
    toWgs84(x, y) {
      try {
        const position = inverse([x, y]);
        const region = regions.find(({ area }) => area && contains(area, position));
        return (region?.inverse([x, y]) ?? position).map(rounded);
      } catch {
        return [Number.NaN, Number.NaN];
      }
    },
  };
}

/** Longitude and latitude of a position. */
type Inverse = (position: [number, number]) => number[];

const contains = ([west = 0, south = 0, east = 0, north = 0]: readonly number[], [x = 0, y = 0]: readonly number[]) =>
  west <= x && x <= east && south <= y && y <= north;

/** To 9 decimals of a degree (0.1 mm): further digits are noise of the computation. */
const rounded = (degrees: number) => Math.round(degrees * 1e9) / 1e9;

/** A copy of a geometry in WGS 84, heights as they are; null if one of its positions has no longitude and latitude. */
export function convertGeometryToWgs84(geometry: Geometry, conversion: Conversion): Geometry | null {
  let isComplete = true;
  const converted = mapPositions(geometry, (x, y, heights) => {
    const position = conversion.toWgs84(x, y);
    isComplete &&= position.every(Number.isFinite);
    return [...position, ...heights];
  });
  if (!isComplete) return null;
  for (const [line, own] of linesIn(geometry, converted)) keepOnItsSide(line, own, conversion);
  return converted;
}

/** Degrees from the antimeridian within which a vertex lies on it (1 cm): of coordinates that are rounded to so much. */
const touching = 1e-7;

/** Puts the vertices of a line or ring that lie on the antimeridian on the side of the others: at 180 or at -180 degrees. */
function keepOnItsSide(given: Vertices, converted: Vertices, conversion: Conversion): void {
  if (!converted.some(isOnAntimeridian)) return;
  const [middleX, middleY] = [0, 1].map((axis) => middleOf(given.map((position) => position[axis] as number))) as [
    number,
    number,
  ];
  converted.forEach((position, at) => {
    if (!isOnAntimeridian(position)) return;
    const [x = 0, y = 0] = given[at] ?? [];
    const [within = 0] = conversion.toWgs84(x + (middleX - x) / 100, y + (middleY - y) / 100);
    position[0] = within < 0 ? -180 : 180;
  });
}

const isOnAntimeridian = ([longitude = 0]: readonly number[]) => Math.abs(longitude) > 180 - touching;

function middleOf(numbers: readonly number[]): number {
  let [least, most] = [Infinity, -Infinity];
  for (const number of numbers) [least, most] = [Math.min(least, number), Math.max(most, number)];
  return (least + most) / 2;
}

type Vertices = readonly number[][];

/** The lines and rings of a geometry, each with its vertices and those of the converted geometry. */
function* linesIn(given: Geometry, converted: Geometry): Generator<readonly [given: Vertices, converted: Vertices]> {
  if (given.type === 'GeometryCollection') {
    const parts = converted.type === 'GeometryCollection' ? converted.geometries : [];
    for (const [at, part] of given.geometries.entries()) yield* linesIn(part, parts[at] as Geometry);
  } else if (given.type !== 'Point' && given.type !== 'MultiPoint' && converted.type !== 'GeometryCollection')
    yield* linesInCoordinates(given.coordinates, converted.coordinates);
}

function* linesInCoordinates(
  given: readonly unknown[],
  converted: readonly unknown[],
): Generator<readonly [given: Vertices, converted: Vertices]> {
  if (given.every(isPosition)) yield [given, converted as number[][]];
  else
    for (const [at, part] of given.entries()) yield* linesInCoordinates(part as unknown[], converted[at] as unknown[]);
}

/**
 * True if a line or ring jumps over the antimeridian, as one does that crosses it or surrounds a pole in its own reference system. Between
 * the longitudes of its vertices it would go around the globe the other way.
 * @param converted the same geometry in WGS 84
 */
export function jumpsOverAntimeridian(given: Geometry, converted: Geometry, conversion: Conversion): boolean {
  for (const [line, own] of linesIn(given, converted))
    for (let at = 1; at < own.length; at++) {
      const [[from = 0] = [], [to = 0] = []] = [own[at - 1], own[at]];
      if (Math.abs(to - from) <= 180) continue;
      // A line along a parallel of a world map has its middle between its ends; one over the antimeridian hasn't.
      const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = [line[at - 1], line[at]];
      const [middle = 0] = conversion.toWgs84((x1 + x2) / 2, (y1 + y2) / 2);
      if (middle < Math.min(from, to) || middle > Math.max(from, to)) return true;
    }
  return false;
}

const isPosition = (part: unknown): part is number[] => Array.isArray(part) && typeof part[0] === 'number';

/** Names that GDAL looks up: `ESRI:102013`, a URN or a URL of OGC. */
const lookedUp = /^(?:[\w-]+:[\w.-]+|urn:[\w.:-]+|https?:\/\/www\.opengis\.net\/[\w./#-]+)$/i;

/**
 * The command that converts a file of an unknown reference system. By a name that GDAL doesn't look up, it would fail.
 * @param crs its name or WKT; `unknown` if the file defines it without a name
 */
export function ogr2ogrLine(crs = 'EPSG:CODE'): string {
  const name = normalizeCrsName(crs);
  const code = lookedUp.test(name) ? excerpt(name) : crs === 'unknown' || isWktCrs(crs) ? '' : 'EPSG:CODE';
  return `ogr2ogr ${code && `-s_srs ${code} `}-t_srs EPSG:4326 converted.geojson FILE`;
}
