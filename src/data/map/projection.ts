/**
 * Projections of pictures: Equal Earth of the whole world (Šavrič, Patterson and Jenny, 2018), for what is wider than 170 degrees or near a pole; else
 * Mercator of the part where the rows are.
 */
import { latitudeOfY, longitudeOfX, xOfLongitude, yOfLatitude } from './mercator.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where rows are, in degrees. East may be beyond 180, if they lie on both sides of the antimeridian. */
export interface MapExtent {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface PictureProjection {
  readonly kind: 'equal-earth' | 'mercator' | 'plate-carree';
  /** Equal for projections that put all positions of pictures of one size at the same places. */
  readonly key: string;
  /** Puts the place of a position in pixels into `at`. */
  project(longitude: number, latitude: number, at: Float64Array): void;
  /** Units of the Mercator grid in a pixel, at the equator. */
  readonly unitsPerPixel: number;
  /** Degrees of longitude that the picture shows. */
  readonly span: number;
}

const widestMercator = 170;
/** Latitude to which web maps in Mercator go. */
const mercatorEnd = 85;
const margin = 3;

export function chooseProjection(extent: MapExtent | null, size: Size): PictureProjection {
  if (!extent) return equalEarth(size);
  const { west, east, south, north } = extent;
  const isWorldwide = east - west > widestMercator || north > mercatorEnd || south < -mercatorEnd;
  return isWorldwide ? equalEarth(size) : mercator(extent, size);
}

const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796] as const;
const root = Math.sqrt(3) / 2;
const degree = Math.PI / 180;

/** Puts x and y of a position on the unit sphere into `at`, y to the north. */
function projectEqualEarth(longitude: number, latitude: number, at: Float64Array): void {
  const l = Math.asin(root * Math.sin(latitude * degree));
  const l2 = l * l;
  const l6 = l2 * l2 * l2;
  at[0] = (longitude * degree * Math.cos(l)) / (root * (a1 + 3 * a2 * l2 + l6 * (7 * a3 + 9 * a4 * l2)));
  at[1] = l * (a1 + a2 * l2 + l6 * (a3 + a4 * l2));
}

/** Steps of a degree of latitude, between which the projection is interpolated: by less than a thousandth of a pixel. */
const steps = 16;

function equalEarth({ width, height }: Size): PictureProjection {
  const corner = new Float64Array(2);
  projectEqualEarth(180, 0, corner);
  const halfWidth = corner[0] as number;
  projectEqualEarth(0, 90, corner);
  const halfHeight = corner[1] as number;
  const scale = Math.min((width / 2 - margin) / halfWidth, (height / 2 - margin) / halfHeight);
  // A parallel is a straight line: pixels in a degree of it, and its place.
  const xs = new Float64Array(180 * steps + 2);
  const ys = new Float64Array(180 * steps + 2);
  for (let n = 0; n < xs.length; n++) {
    projectEqualEarth(1, Math.min(90, n / steps - 90), corner);
    xs[n] = scale * (corner[0] as number);
    ys[n] = height / 2 - scale * (corner[1] as number);
  }
  return {
    kind: 'equal-earth',
    key: 'world',
    project(longitude, latitude, at) {
      const wrapped = longitude > 180 || longitude < -180 ? wrapLongitude(longitude) : longitude;
      const place = Math.max(0, Math.min(180 * steps, (latitude + 90) * steps));
      const n = Math.floor(place);
      const share = place - n;
      at[0] = width / 2 + wrapped * ((1 - share) * (xs[n] as number) + share * (xs[n + 1] as number));
      at[1] = (1 - share) * (ys[n] as number) + share * (ys[n + 1] as number);
    },
    unitsPerPixel: xOfLongitude(180) / (2 * halfWidth * scale),
    span: 360,
  };
}

const wrapLongitude = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180;

function mercator({ west, south, east, north }: MapExtent, { width, height }: Size): PictureProjection {
  const isOnePlace = east - west < 1e-4 && north - south < 1e-4;
  const least = isOnePlace ? 12 : 0.01;
  const [left, right] = [xOfLongitude(west), xOfLongitude(east)];
  const [top, bottom] = [yOfLatitude(north), yOfLatitude(south)];
  const leastUnits = xOfLongitude(least) - xOfLongitude(0);
  const padding = 0.06;
  const unitsPerPixel = Math.max(
    (right - left) / (width * (1 - 2 * padding)),
    (bottom - top) / (height * (1 - 2 * padding)),
    leastUnits / width,
  );
  const middle = longitudeOfX((left + right) / 2);
  const x0 = (left + right) / 2 - (unitsPerPixel * width) / 2;
  const y0 = (top + bottom) / 2 - (unitsPerPixel * height) / 2;
  return {
    kind: 'mercator',
    key: `${middle} ${x0} ${y0} ${unitsPerPixel}`,
    project(longitude, latitude, at) {
      // The turn of the globe that is nearest to the middle of the picture.
      const turns = Math.round((middle - longitude) / 360);
      at[0] = (xOfLongitude(longitude + 360 * turns) - x0) / unitsPerPixel;
      at[1] = (yOfLatitude(latitude) - y0) / unitsPerPixel;
    },
    unitsPerPixel,
    span: longitudeOfX(unitsPerPixel * width) + 180,
  };
}

/** Puts the place of a position in the Mercator grid into `at`. */
export function projectGrid({ project }: PictureProjection, x: number, y: number, at: Float64Array): void {
  project(longitudeOfX(x), latitudeOfY(y), at);
}

/** The extent of boxes that are added to it, on both sides of the antimeridian if that is narrower. */
export class ExtentBuilder {
  /** One for each degree of longitude that a box has. */
  readonly #degrees = new Uint8Array(360);
  #marked = 0;
  #west = Infinity;
  #east = -Infinity;
  #south = Infinity;
  #north = -Infinity;

  add(west: number, south: number, east: number, north: number): void {
    if (west < this.#west) this.#west = west;
    if (east > this.#east) this.#east = east;
    if (south < this.#south) this.#south = south;
    if (north > this.#north) this.#north = north;
    if (this.#marked === 360) return;
    const first = Math.floor(west);
    const last = Math.min(first + 359, Math.floor(east));
    for (let degrees = first; degrees <= last; degrees++) {
      const at = (((degrees + 180) % 360) + 360) % 360;
      if (this.#degrees[at] === 0) {
        this.#degrees[at] = 1;
        this.#marked++;
      }
    }
  }

  /** @returns null if nothing was added */
  extent(): MapExtent | null {
    if (this.#west > this.#east) return null;
    const plain = { west: this.#west, south: this.#south, east: this.#east, north: this.#north };
    if (plain.east - plain.west <= widestMercator) return plain;
    const { start, length } = this.#widestGap();
    if (360 - length > widestMercator) return { ...plain, west: -180, east: 180 };
    return { ...plain, west: start + length - 180, east: start + 360 - 180 };
  }

  /** The longest run of degrees without a box; it may go over the end. */
  #widestGap(): { start: number; length: number } {
    let widest = { start: 0, length: 0 };
    let length = 0;
    for (let at = 0; at < 720; at++) {
      length = this.#degrees[at % 360] ? 0 : Math.min(360, length + 1);
      if (length > widest.length) widest = { start: at - length + 1, length };
    }
    return widest;
  }
}
