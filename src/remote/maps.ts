/** Maps of a version's rows, drawn by a remote server. */
import type { MapPicture, MapRequest, RowsMap, Tileset } from '../catalogue/maps.ts';
import type { Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import type { Http, HttpResponse } from './http.ts';
import { readResponseBytes, readResponseText as text } from './http-body.ts';
import { refOfEntity } from './read.ts';
import {
  anyObjectShape,
  listShape,
  objectShape,
  optional,
  parseUntrustedJson,
  type Shape,
  shape,
  textShape,
  unexpectedResponseFieldError,
  valueOfShape,
  wholeNumberShape,
} from './shapes.ts';

const countsShape = objectShape({ matched: wholeNumberShape, located: wholeNumberShape, kind: textShape });
const pictureShape = objectShape({
  counts: objectShape({
    matched: wholeNumberShape,
    located: wholeNumberShape,
    drawn: wholeNumberShape,
    kind: textShape,
  }),
  legend: optional(anyObjectShape),
});
const tilesetShape = objectShape({
  counts: countsShape,
  extent: optional(listShape(shape<number>({ type: 'number' }))),
  column: optional(anyObjectShape),
  classes: optional(anyObjectShape),
  maxzoom: wholeNumberShape,
});

/** The map of a version; a HEAD request checks the parameters. */
export async function fetchMap(http: Http, version: Version, { parameters }: MapRequest): Promise<RowsMap> {
  const base = apiPath(refOfEntity<'version'>(version));
  const request = { query: parameters, headers: { 'accept-encoding': 'gzip' } };
  const get = (name: string) => http.request({ ...request, path: `${base}${name}` });
  const { headers, body } = await http.request({ ...request, path: `${base}plate.svg`, method: 'HEAD' });
  body.destroy();
  return {
    version,
    tag: (headers.etag ?? '').replace(/"/g, ''),
    hasGeometry: version.columns?.some(({ type }) => type === 'geometry') ?? version.bbox !== null,
    picture: async () => parsePicture(await text((await get('map.svg')).body)),
    plate: async () => text((await get('plate.svg')).body),
    tile: async ({ z, x, y }) => {
      const tile = await get(`tiles/${z}/${x}/${y}.mvt`);
      const bytes = await readResponseBytes(tile.body);
      const [matched, drawn] = [countIn(tile, 'x-total-count'), countIn(tile, 'x-feature-count')];
      return { bytes: bytes.length > 0 ? bytes : null, matched, drawn };
    },
    tileset: async () => {
      const found = parseAs(tilesetShape, await text((await get('tiles.json')).body));
      const { counts, extent = null, column = null, classes: legend = null, maxzoom: maxZoom } = found;
      return { counts, bounds: extent, column, legend, maxZoom } as unknown as Tileset;
    },
  };
}

const countIn = ({ headers }: HttpResponse, name: string): number => Number(headers[name] ?? 0);

/** The greatest code point of Unicode. */
const maxCodePoint = 0x10ffff;

/** Reads the counts and the legend in the metadata of a picture. @throws UnreachableError */
function parsePicture(svg: string): MapPicture {
  const metadata = /<metadata>([^<]*)<\/metadata>/.exec(svg)?.[1] ?? '';
  const json = metadata.replace(/&#(\d{1,7});/g, (reference, code) =>
    Number(code) <= maxCodePoint ? String.fromCodePoint(Number(code)) : reference,
  );
  const { counts, legend = null } = parseAs(pictureShape, json);
  return { svg, counts, legend } as unknown as MapPicture;
}

function parseAs<Value>(expected: Shape<Value>, json: string): Value {
  try {
    return valueOfShape(expected, parseUntrustedJson(json));
  } catch (error) {
    throw error instanceof SyntaxError ? unexpectedResponseFieldError('') : error;
  }
}
