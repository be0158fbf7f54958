/** The base map of the moving map: Natural Earth, 1:110 million, and 1:50 million from zoom 3 on. */
import Feature from 'ol/Feature.js';
import LineString from 'ol/geom/LineString.js';
import Polygon from 'ol/geom/Polygon.js';
import VectorLayer from 'ol/layer/Vector.js';
import { fromLonLat } from 'ol/proj.js';
import VectorSource from 'ol/source/Vector.js';
import Fill from 'ol/style/Fill.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import { type BasemapScale, loadBasemap } from '../src/data/map/basemap.ts';
import { colourOf } from './row-style.ts';

/** From here on, land is drawn in detail. */
const detailZoom = 3;
const mercatorEnd = 85.06;

export interface BaseLayer {
  readonly layers: readonly VectorLayer[];
  /** Takes the colours of an element, after they have changed too. */
  restyle(element: HTMLElement): void;
  showDetail(zoom: number): void;
}

export function makeBaseLayer(): BaseLayer {
  const layer = (attributes: object) =>
    new VectorLayer({ source: new VectorSource(), updateWhileInteracting: false, ...attributes });
  const [coarse, fine] = [layer({}), layer({ visible: false })];
  const load = async (target: VectorLayer, scale: BasemapScale) => {
    const { land, borders } = await loadBasemap(scale);
    const source = target.getSource();
    for (const ring of land) {
      const geometry = new Polygon([closed(positionsOf(ring))]);
      // Holes run the other way, and are drawn as sea.
      source?.addFeature(new Feature({ geometry, kind: doubleArea(ring) > 0 ? 'hole' : 'land' }));
    }
    for (const line of borders)
      source?.addFeature(new Feature({ geometry: new LineString(positionsOf(line)), kind: 'border' }));
  };
  // Without a base map, the rows are still shown.
  load(coarse, '110m').catch(() => {});
  let isFineLoaded = false;
  return {
    layers: [coarse, fine],
    restyle(element) {
      const styles: Readonly<Record<string, Style>> = {
        land: new Style({ fill: new Fill({ color: colourOf(element, 'land') }), zIndex: 0 }),
        hole: new Style({ fill: new Fill({ color: colourOf(element, 'sea') }), zIndex: 1 }),
        border: new Style({ stroke: new Stroke({ color: colourOf(element, 'line'), width: 0.8 }), zIndex: 2 }),
      };
      for (const one of [coarse, fine]) one.setStyle((feature) => styles[feature.get('kind') as string]);
    },
    showDetail(zoom) {
      const isFine = zoom >= detailZoom;
      if (isFine && !isFineLoaded) {
        isFineLoaded = true;
        load(fine, '50m').then(
          () => coarse.setVisible(!fine.getVisible()),
          () => {
            isFineLoaded = false;
          },
        );
      }
      fine.setVisible(isFine);
      if (!isFine) coarse.setVisible(true);
      else if (fine.getSource()?.getFeatures().length) coarse.setVisible(false);
    },
  };
}

function positionsOf(line: Float64Array): number[][] {
  const positions: number[][] = [];
  for (let at = 0; at < line.length; at += 2) {
    const latitude = Math.max(-mercatorEnd, Math.min(mercatorEnd, line[at + 1] as number));
    positions.push(fromLonLat([line[at] as number, latitude]));
  }
  return positions;
}

const closed = (ring: number[][]) => (ring[0] ? [...ring, ring[0]] : ring);

/** Twice the area of a ring in degrees; negative if it runs clockwise, as the outer rings of d3-geo do. */
function doubleArea(ring: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const next = at + 2 < ring.length ? at + 2 : 0;
    sum += (ring[at] as number) * (ring[next + 1] as number) - (ring[next] as number) * (ring[at + 1] as number);
  }
  return sum;
}
