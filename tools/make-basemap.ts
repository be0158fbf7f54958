/**
 * Makes `src/data/map/basemap-110m.ts` and `-50m.ts` from Natural Earth, as the npm package world-atlas has it: land, and borders
 * between countries, cut at 180 degrees. Run it again after a new release of world-atlas:
 *
 *     node --import tsx tools/make-basemap.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GeoPermissibleObjects, geoEquirectangular, geoStream } from 'd3-geo';
import { feature, mesh } from 'topojson-client';

type Topology = Parameters<typeof feature>[0];
type Ring = (readonly [number, number])[];

/** Positions in a degree: of 1:110 million, and of 1:50 million. */
const scales = { '110m': 50, '50m': 100 } as const;

const read = (name: string) =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`world-atlas/${name}.json`)), 'utf8')) as Topology;

/** The polygons and lines of an object in the plane of longitude and latitude: d3-geo cuts them at the antimeridian. */
function flatten(object: GeoPermissibleObjects): { polygons: Ring[][]; lines: Ring[] } {
  const polygons: Ring[][] = [];
  const lines: Ring[] = [];
  let polygon: Ring[] | null = null;
  let line: Ring = [];
  const plane = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .precision(0);
  geoStream(
    object,
    plane.stream({
      point: (x, y) => line.push([x, -y]),
      lineStart: () => {
        line = [];
      },
      lineEnd: () => (polygon ? polygon.push(line) : lines.push(line)),
      polygonStart: () => {
        polygon = [];
        polygons.push(polygon);
      },
      polygonEnd: () => {
        polygon = null;
      },
    }),
  );
  return { polygons, lines };
}

/** A ring or line as differences of rounded positions, each a variable-length integer. */
function encodeLines(lines: readonly Ring[], scale: number): number[] {
  const bytes: number[] = [];
  const put = (number: number) => {
    let rest = number;
    for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  };
  for (const line of lines) {
    let [x, y] = [0, 0];
    const positions = line
      .map(([longitude, latitude]) => [Math.round(longitude * scale), Math.round(latitude * scale)] as const)
      .filter((one, at, all) => at === 0 || one[0] !== all[at - 1]?.[0] || one[1] !== all[at - 1]?.[1]);
    if (positions.length < 2) continue;
    put(positions.length);
    for (const [px, py] of positions) {
      for (const step of [px - x, py - y]) put(((step << 1) ^ (step >> 31)) >>> 0);
      [x, y] = [px, py];
    }
  }
  return bytes;
}

for (const [name, scale] of Object.entries(scales)) {
  const landFile = read(`land-${name}`);
  const countries = read(`countries-${name}`);
  const land = flatten(feature(landFile, landFile.objects.land as never) as never);
  const borders = flatten(mesh(countries, countries.objects.countries as never, (a, b) => a !== b) as never);
  const rings = land.polygons.flat().filter((ring) => ring.length > 3);
  const text = (lines: readonly Ring[]) => Buffer.from(encodeLines(lines, scale)).toString('base64');
  writeFileSync(
    fileURLToPath(new URL(`../src/data/map/basemap-${name}.ts`, import.meta.url)),
    `/** Natural Earth 1:${name.replace('m', ' million')}, public domain, as \`tools/make-basemap.ts\` writes it; read by \`basemap.ts\`. */\n` +
      `export const scale = ${scale};\nexport const land =\n  '${text(rings)}';\nexport const borders =\n  '${text(borders.lines)}';\n`,
  );
}
