/** How rows look on the moving map: as in the picture, by the classes of the legend. */
import type { FeatureLike } from 'ol/Feature.js';
import CircleStyle from 'ol/style/Circle.js';
import Fill from 'ol/style/Fill.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import type { Tileset } from '../src/catalogue/maps.ts';
import { classCount, classOf } from '../src/data/map/colour-classes.ts';
import { darkColours, lightColours, quantileColours, valueColours } from '../src/data/map/picture-style.ts';

type ColourName = keyof typeof lightColours;

/** A colour of the page (`--geo`), or else the picture's own. */
export function colourOf(element: HTMLElement, name: ColourName): string {
  const own = getComputedStyle(element).getPropertyValue(`--${name}`).trim();
  if (/^#[0-9a-f]{3,8}$/i.test(own)) return own;
  return (matchMedia('(prefers-color-scheme: dark)').matches ? darkColours : lightColours)[name];
}

/** The style of a row, by its class. */
export function makeRowStyle(
  element: HTMLElement,
  { legend, column }: Pick<Tileset, 'legend' | 'column'>,
): (feature: FeatureLike) => Style {
  const names = legend?.kind === 'values' ? valueColours : quantileColours;
  const line = colourOf(element, 'line');
  const stylesOf = (name: ColourName) => {
    const colour = colourOf(element, name);
    const point = new CircleStyle({
      radius: 4,
      // Tiles overlap: what is drawn twice must look as if drawn once.
      fill: new Fill({ color: colour }),
      stroke: new Stroke({ color: line, width: 0.5 }),
      // OpenLayers 10.11 finds no image under the pointer otherwise, unless the layer is decluttered.
      declutterMode: 'none',
    });
    return {
      polygon: new Style({ fill: new Fill({ color: colour }), stroke: new Stroke({ color: line, width: 0.6 }) }),
      other: new Style({ image: point, stroke: new Stroke({ color: colour, width: 2 }) }),
    };
  };
  const plain = stylesOf('geo');
  const styles = names.map(stylesOf);
  return (feature) => {
    const value = legend && column && classOf(legend, feature.get(column.name) ?? null);
    const { polygon, other } = value === null ? plain : (styles[Math.min(classCount, value)] ?? plain);
    return feature.getGeometry()?.getType().endsWith('Polygon') ? polygon : other;
  };
}
