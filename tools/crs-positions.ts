/**
 * Prints `test/fixtures/crs/positions.csv`: for each EPSG code that is converted, a position well inside of its area of use, and its
 * longitude and latitude in WGS 84 according to PROJ; further positions where the datum has another shift. It needs `projinfo` of
 * PROJ and `gdaltransform` of GDAL, and runs for half an hour; with codes as arguments it prints the lines of those. Give PROJ a
 * folder with `proj.db` and `proj.ini` alone, so that it uses no grids:
 *
 *     PROJ_DATA=<folder> PROJ_LIB=<folder> node --import tsx tools/crs-positions.ts [code …]
 */
import { execFile } from 'node:child_process';
import { loadCrsConversion } from '../src/data/geometry/crs.ts';

type Position = readonly [x: number, y: number];

/** Positions in areas that have a shift of their own: codes, and longitude and latitude. */
const furtherPositions: readonly (readonly [code: number, place: string, position: Position])[] = [
  [23029, 'Lisboa', [-9.14, 38.72]],
  [23029, 'A Coruña', [-8.4, 43.36]],
  [23029, 'off Portugal', [-11, 40]],
  [23030, 'Gibraltar', [-5.35, 36.13]],
  [23030, 'Madrid', [-3.7, 40.42]],
  [23030, 'Edinburgh', [-3.2, 55.95]],
  [23031, 'Maó', [4.26, 39.89]],
  [23031, 'Paris', [2.35, 48.86]],
  [23032, 'Aarhus', [10.2, 56.16]],
  [23032, 'München', [11.58, 48.14]],
  [23032, 'Oslo', [10.75, 59.91]],
  [23033, 'Napoli', [14.27, 40.85]],
  [23033, 'Longyearbyen', [15.6, 78.2]],
  [23034, 'Athína', [23.73, 37.98]],
  [23035, 'Siwa', [25.5, 29.2]],
  [23036, 'Ankara', [32.86, 39.93]],
  [23036, 'Amman', [35.9, 31.95]],
  [23038, 'Baghdad', [44.4, 33.3]],
  [3003, 'Milano', [9.19, 45.46]],
  [3003, 'Cagliari', [9.1, 39.2]],
  [3004, 'Bari', [16.87, 41.12]],
  [3004, 'Catania', [15.09, 37.5]],
  [3906, 'Ljubljana', [14.5, 46.05]],
  [3906, 'Split', [16, 43.5]],
  [3906, 'Sarajevo', [18.4, 43.85]],
  [3906, 'Novi Sad', [19.84, 45.6]],
  [3906, 'Ohrid', [20.8, 41.12]],
  [5514, 'Praha', [14.42, 50.09]],
  [5514, 'Košice', [21.26, 48.72]],
  [4178, 'Leipzig', [12.37, 51.34]],
  [4178, 'Praha', [14.42, 49.9]],
  [4178, 'Budapest', [19.04, 47.5]],
];

/** Runs a program. @returns what it prints */
const run = (program: string, args: readonly string[], input = '') =>
  new Promise<string>((resolve, reject) => {
    const child = execFile(program, args, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    // A program that fails says why on its exit.
    child.stdin?.on('error', () => undefined).end(input);
  });

/** The name for PROJ, which has this one code of Esri. */
const nameOf = (code: number) => (code === 102_067 ? `ESRI:${code}` : `EPSG:${code}`);

async function transform(from: string, to: string, [x, y]: Position): Promise<Position> {
  const printed = await run('gdaltransform', ['-s_srs', from, '-t_srs', to, '-output_xy'], `${x} ${y}\n`);
  const [first = Number.NaN, second = Number.NaN] = printed.trim().split(' ').map(Number);
  return [first, second];
}

/** True if PROJ has a transformation to WGS 84 for the position, other than the one that ignores the datums ("ballpark"). */
async function isInArea(name: string, [x, y]: Position): Promise<boolean> {
  const box = [x - 0.01, y - 0.01, x + 0.01, y + 0.01].map((degrees) => degrees.toFixed(4)).join(',');
  const options = ['--bbox', box, '--hide-ballpark', '--grid-check', 'discard_missing', '--summary'];
  return !/found: 0/.test(await run('projinfo', ['-s', name, '-t', 'EPSG:4326', ...options]));
}

/**
 * A position in the area of use that has a transformation, at least a fifth of width and height away from its edges. It isn't the
 * middle, where an easting is often 500000 and a longitude 0.
 */
async function positionInside(name: string): Promise<Position> {
  const wkt = await run('projinfo', ['-o', 'WKT2:2019', '--single-line', name]);
  const [south = 0, west = 0, north = 0, east = 0] = /BBOX\[([^\]]*)\]/.exec(wkt)?.[1]?.split(',').map(Number) ?? [];
  const width = east < west ? east + 360 - west : east - west;
  const positionAt = (right: number, up: number): Position => {
    const x = west + width * right;
    return [Number((x > 180 ? x - 360 : x).toFixed(6)), Number((south + (north - south) * up).toFixed(6))];
  };
  for (const up of [0.2, 0.5, 0.8])
    for (const right of [0.2, 0.5, 0.8]) if (await isInArea(name, positionAt(right, up))) return positionAt(right, up);
  // A deprecated code, for which GDAL takes the one that has replaced it.
  return positionAt(0.2, 0.2);
}

async function lineOf(code: number, given?: Position): Promise<string> {
  const name = nameOf(code);
  const [x, y] = await transform('EPSG:4326', name, given ?? (await positionInside(name)));
  const [longitude, latitude] = await transform(name, 'EPSG:4326', [x, y]);
  return `EPSG:${code},${[x, y, longitude, latitude].map((n) => Number(n.toFixed(8))).join(',')}`;
}

/** The codes that are converted. */
async function findCodes(): Promise<number[]> {
  const codes: number[] = [];
  for (const code of [...Array(32_768).keys(), 102_067, 900_913])
    if (await loadCrsConversion(`EPSG:${code}`)) codes.push(code);
  return codes;
}

const given = process.argv.slice(2).map(Number);
const codes = given.length > 0 ? given : await findCodes();
const wanted = [
  ...codes.map((code) => [code] as const),
  ...furtherPositions.filter(([code]) => codes.includes(code)).map(([code, , position]) => [code, position] as const),
];
const lines: string[] = [];
let next = 0;
const work = async () => {
  for (let n = next++; n < wanted.length; n = next++) {
    const [code = 0, position] = wanted[n] ?? [];
    lines[n] = await lineOf(code, position);
  }
};
await Promise.all([work(), work(), work()]);
console.log(`crs,x,y,longitude,latitude\n${lines.join('\n')}`);
