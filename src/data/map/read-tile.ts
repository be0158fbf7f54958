/** Reads the geometries of a Mapbox Vector Tile (specification 2.1) that `mvt.ts` has written. */
import { PbfReader } from 'pbf';
import type { TileAddress } from '../../catalogue/maps.ts';
import { latitudeOfY, longitudeOfX, tileExtent, worldSize } from './mercator.ts';
import { geometryTypes } from './mvt.ts';

export interface TileShape {
  readonly kind: keyof typeof geometryTypes;
  /** Points, lines or rings, each as longitudes and latitudes in turns. */
  readonly parts: readonly (readonly number[])[];
}

const kinds = Object.keys(geometryTypes) as TileShape['kind'][];

/** The shapes in a tile, in degrees. */
export function readTileShapes(bytes: Uint8Array, { z, x, y }: TileAddress): TileShape[] {
  const unit = worldSize / 2 ** z / tileExtent;
  const place = (column: number, row: number) => [
    longitudeOfX((x * tileExtent + column) * unit),
    latitudeOfY((y * tileExtent + row) * unit),
  ];
  const shapes: TileShape[] = [];
  new PbfReader(bytes).readFields((layers, _, tile) => {
    if (layers !== 3) return;
    const end = tile.readVarint() + tile.pos;
    tile.readFields(
      (tag, _shapes, layer) => {
        if (tag !== 2) return;
        let type = 0;
        const commands: number[] = [];
        layer.readFields(
          (member, _feature, feature) => {
            if (member === 3) type = feature.readVarint();
            else if (member === 4) feature.readPackedVarint(commands);
          },
          null,
          layer.readVarint() + layer.pos,
        );
        const kind = kinds.find((name) => geometryTypes[name] === type);
        if (kind) shapes.push({ kind, parts: partsOf(commands, place) });
      },
      shapes,
      end,
    );
  }, shapes);
  return shapes;
}

/** The parts of a geometry: its commands are those of section 4.3. */
function partsOf(commands: readonly number[], place: (x: number, y: number) => number[]): number[][] {
  const parts: number[][] = [];
  let [x, y] = [0, 0];
  for (let at = 0; at < commands.length; ) {
    const [id, count] = [(commands[at] as number) & 7, (commands[at] as number) >> 3];
    at++;
    // A ring is closed by its drawing.
    if (id === 7) continue;
    for (let n = 0; n < count; n++, at += 2) {
      x += unzigzag(commands[at] as number);
      y += unzigzag(commands[at + 1] as number);
      if (id === 1) parts.push(place(x, y));
      else parts.at(-1)?.push(...place(x, y));
    }
  }
  return parts;
}

const unzigzag = (number: number) => (number >>> 1) ^ -(number & 1);
