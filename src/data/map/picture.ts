/**
 * A map as a picture (SVG): base map, and the selected rows on it. Rows that are closer than a pixel are drawn as one. If there
 * are more than `mostPoints` points, a random sample of that size is drawn. Shapes are simplified to the pixels of the picture.
 */
import type { MapCounts, MapPicture } from '../../catalogue/maps.ts';
import { describeMapCounts } from '../../catalogue/maps.ts';
import { type Turns, workInRanges } from '../event-loop.ts';
import { loadBasemap } from './basemap.ts';
import { drawBasemap } from './basemap-picture.ts';
import { makeLegend } from './colour-classes.ts';
import { drawMarks, type MarkOptions } from './marks.ts';
import { styleElement } from './picture-style.ts';
import { chooseProjection, ExtentBuilder, type MapExtent } from './projection.ts';
import { boxInPicture } from './shapes.ts';
import { type MapSource, rowAt, rowCountOf } from './source.ts';
import { escapeXml } from './svg-path.ts';

export interface PictureOptions extends MarkOptions {
  readonly title: string;
}

export async function drawPicture(source: MapSource, options: PictureOptions, turns: Turns): Promise<MapPicture> {
  const { size, title, isSmall = false } = options;
  const legend = source.colour && (await makeLegend(source.colour, turns));
  const { extent, located } = await measure(source, turns);
  const projection = chooseProjection(extent, size);
  const scale = projection.span > 80 ? '110m' : '50m';
  const base = drawBasemap(await loadBasemap(scale), projection, size, isSmall);
  const marks = await drawMarks(source, legend, projection, options, turns);
  const counts = {
    matched: rowCountOf(source),
    located,
    drawn: marks.drawn,
    isSampled: marks.isSampled,
    kind: kindOf(source),
  };
  const { width, height } = size;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<title>${escapeXml(title)}</title><desc>${describeMapCounts(counts)}</desc><metadata>${escapeXml(JSON.stringify({ counts, legend }))}</metadata>${styleElement(marks.rules)}` +
    `<g transform="scale(.1)">${base}${marks.text}</g></svg>`;
  return { svg, counts, legend };
}

/** Kind of the geometries of the rows. */
export function kindOf({ layer, table }: MapSource): MapCounts['kind'] {
  if (layer.kind === 'points') return 'points';
  const kinds = new Set(table.locatedKinds.map((kind) => kind.replace(/^Multi| Z$/g, '')));
  if (kinds.size !== 1) return 'shapes';
  return kinds.has('Point')
    ? 'points'
    : kinds.has('LineString')
      ? 'lines'
      : kinds.has('Polygon')
        ? 'polygons'
        : 'shapes';
}

/** The extent of the rows, and how many have one. */
export async function measure(source: MapSource, turns: Turns): Promise<{ extent: MapExtent | null; located: number }> {
  const { layer } = source;
  const builder = new ExtentBuilder();
  const count = rowCountOf(source);
  let located = 0;
  await workInRanges(count, turns, (start, end) => {
    for (let position = start; position < end; position++) {
      const row = rowAt(source, position);
      if (layer.kind === 'points') {
        const [x, y] = [layer.longitudes[row] as number, layer.latitudes[row] as number];
        if (Number.isNaN(x)) continue;
        builder.add(x, y, x, y);
      } else {
        const box = boxInPicture(layer, row);
        if (Number.isNaN(box[0])) continue;
        builder.add(...box);
      }
      located++;
    }
  });
  return { extent: builder.extent(), located };
}
