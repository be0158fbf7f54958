/** Land, and borders between countries, as rings and lines of longitudes and latitudes in turns; cut at 180 degrees. */

export interface Basemap {
  /** Rings of polygons and of their holes; each ends before its first position. */
  readonly land: readonly Float64Array[];
  readonly borders: readonly Float64Array[];
}

export type BasemapScale = '110m' | '50m';

const loading = new Map<BasemapScale, Promise<Basemap>>();

/** Loads a base map, once per process. */
export function loadBasemap(name: BasemapScale): Promise<Basemap> {
  let basemap = loading.get(name);
  if (!basemap) {
    basemap = (name === '110m' ? import('./basemap-110m.ts') : import('./basemap-50m.ts')).then(decodeBasemap);
    loading.set(name, basemap);
  }
  return basemap;
}

/** Decodes the texts that `tools/make-basemap.ts` writes. */
function decodeBasemap(encoded: { scale: number; land: string; borders: string }): Basemap {
  return { land: decodeLines(encoded.land, encoded.scale), borders: decodeLines(encoded.borders, encoded.scale) };
}

/** Lines as their numbers of positions, and differences of positions: variable-length integers, in Base64. */
function decodeLines(text: string, scale: number): Float64Array[] {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const lines: Float64Array[] = [];
  let at = 0;
  const next = () => {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  };
  const difference = () => {
    const number = next();
    return (number >>> 1) ^ -(number & 1);
  };
  while (at < bytes.length) {
    const line = new Float64Array(2 * next());
    let [x, y] = [0, 0];
    for (let i = 0; i < line.length; i += 2) {
      x += difference();
      y += difference();
      line[i] = x / scale;
      line[i + 1] = y / scale;
    }
    lines.push(line);
  }
  return lines;
}
