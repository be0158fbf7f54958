/**
 * The figure of a map on a page, as data: addresses of the picture and of the tiles, and the attributes that the script of the
 * moving map reads (`browser/map-start.ts`):
 *
 *     <figure {...attributes}>
 *       <div data-map-stage><img {...picture} alt="…"><button type="button" data-map-open>Explore the map</button></div>
 *       <figcaption>…</figcaption>
 *     </figure>
 */
import { defaultMapWidth, type MapLegend, mapSize } from '../catalogue/maps.ts';
import { formParameters, partParameters } from '../catalogue/row-parameters.ts';

export interface MapFigureOptions {
  /** Address of the dataset, the version or the saved query, with a slash at its end. */
  readonly address: string;
  /** Parameters of the rows, decoded: filters, and the column in `_colour`. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** In pixels. */
  readonly width?: number;
  /** Texts of the moving map in the page's language, by the names in `browser/row-panel.ts`; English where absent. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface MapFigure {
  /** Of the `figure`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Of the `img`. */
  readonly picture: { readonly src: string; readonly width: number; readonly height: number };
  /** Address of the TileJSON, for the part "Use it". */
  readonly tiles: string;
}

/** Parameters that choose a part or a form of the rows, and not the rows of the map. */
const otherParameters = [...partParameters, ...formParameters, '_fields', '_ordering', 'width', '_width'];

export function mapFigure({ address, parameters, width, texts }: MapFigureOptions): MapFigure {
  const shown = parameters.filter(([name]) => !otherParameters.includes(name));
  const addressOf = (name: string, pairs: readonly (readonly [string, string])[]) => {
    const search = new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, value])).toString();
    return `${address}${name}${search && `?${search}`}`;
  };
  const filters = shown.filter(([name]) => name !== '_colour');
  const tiles = addressOf('tiles.json', shown);
  return {
    attributes: {
      'data-map-tiles': tiles,
      'data-rows': addressOf('data/', filters),
      ...(texts && { 'data-map-texts': JSON.stringify(texts) }),
    },
    picture: {
      src: addressOf('map.svg', width === undefined ? shown : [...shown, ['_width', String(width)]]),
      ...mapSize(width ?? defaultMapWidth),
    },
    tiles,
  };
}

/** A line of a legend: the name of its colour among the pages' tokens, and the numbers or the value that have it. */
export interface LegendEntry {
  /** `c0` to `c4`, `geo`, `num`, `text`, `time`, `bool`, or `none` for all other values. */
  readonly colour: string;
  /** Least number, included; undefined for the first class. */
  readonly from?: number;
  /** Greatest number, not included; undefined for the last class. */
  readonly below?: number;
  readonly value?: string | number | boolean;
}

const quantileColours = ['c0', 'c1', 'c2', 'c3', 'c4'];
const valueColours = ['geo', 'num', 'text', 'time', 'bool'];

/** The lines of a legend, in order. */
export function legendEntries(legend: MapLegend): readonly LegendEntry[] {
  if (legend.kind === 'values') {
    const entries = legend.values.map((value, at): LegendEntry => ({ colour: valueColours[at] ?? 'none', value }));
    return legend.hasOthers ? [...entries, { colour: 'none' }] : entries;
  }
  const { breaks } = legend;
  const colours = quantileColours.slice(quantileColours.length - 1 - breaks.length);
  return colours.map((colour, at): LegendEntry => {
    const [from, below] = [breaks[at - 1], breaks[at]];
    return { colour, ...(from !== undefined && { from }), ...(below !== undefined && { below }) };
  });
}
