/**
 * Pairs of columns that may be longitude and latitude, or easting and northing, by their names. Both names of a pair have the
 * same prefix and suffix, and are of one kind: `longitude` with `latitude`, `lon`, `lng` and `long` with `lat`. The other spelling
 * is taken if a name has no partner of its own kind, and that of the other belongs to no other name.
 */

const longitudeName = /^(.*?)(longitude|long|lng|lon)(_?(?:deg|dd|wgs84)?)$/;

const projectedPairs = [
  ['easting', 'northing'],
  ['east', 'north'],
  ['rechtswert', 'hochwert'],
  ['ostwert', 'nordwert'],
  ['x_coord', 'y_coord'],
  ['x_utm', 'y_utm'],
  ['utm_x', 'utm_y'],
  ['e', 'n'],
] as const;

/** Columns of longitude and latitude. */
interface Pair {
  readonly x: number;
  readonly y: number;
  /** False if one name is in full and the other is short. */
  readonly isOfOneKind: boolean;
  /** 0 for the likeliest. */
  readonly rank: number;
}

/** What numbers may be: degrees, metres or feet of a projected reference system, or either. */
export type Coordinates = 'degrees' | 'projected' | 'any';

/**
 * The pairs, the likeliest first: `longitude` and `latitude`, as our own CSV has them, other names without a prefix, names
 * with one in the order of the file, `x` and `y`, and then the others. Of projected coordinates, `x` and `y` and the others are
 * first.
 */
export function coordinatePairs(names: readonly string[], coordinates: Coordinates): [x: number, y: number][] {
  const places = new Map<string, number>();
  for (const [place, name] of names.entries()) {
    const folded = name.trim().toLowerCase();
    if (!places.has(folded)) places.set(folded, place);
  }
  const pairs = [...places].flatMap(([name, x]) => longitudePair(name, x, places));
  const owned = new Set(pairs.filter(({ isOfOneKind }) => isOfOneKind).map(({ y }) => y));
  const others = [['x', 'y'], ...(coordinates === 'degrees' ? [] : projectedPairs)].flatMap(
    ([east = '', north = '']) => {
      const [x, y] = [places.get(east), places.get(north)];
      return x === undefined || y === undefined ? [] : [[x, y] as [number, number]];
    },
  );
  const named = pairs
    .filter(({ isOfOneKind, y }) => isOfOneKind || !owned.has(y))
    .sort((a, b) => a.rank - b.rank || a.x - b.x)
    .map(({ x, y }): [number, number] => [x, y]);
  return coordinates === 'projected' ? [...others, ...named] : [...named, ...others];
}

/** The pair of a column, if its name is that of a longitude, and there is a latitude. */
function longitudePair(name: string, x: number, places: ReadonlyMap<string, number>): Pair[] {
  const match = longitudeName.exec(name);
  if (!match) return [];
  const [, prefix = '', word, suffix = ''] = match;
  const isFull = word === 'longitude';
  const [own, other] = (isFull ? ['latitude', 'lat'] : ['lat', 'latitude']).map((latitude) =>
    places.get(`${prefix}${latitude}${suffix}`),
  );
  const y = own ?? other;
  if (y === undefined) return [];
  const isOfOneKind = own !== undefined;
  const spelling = prefix === '' ? 2 * Number(suffix !== '') + Number(!isFull) : 0;
  return [{ x, y, isOfOneKind, rank: 8 * Number(prefix !== '') + 4 * Number(!isOfOneKind) + spelling }];
}
