/** Payloads of the namespace `lab` that are legal, and break what reads them carelessly. */
import type { Workshop } from './published.ts';

const point = (x: number, y: number) => ({ type: 'Point', coordinates: [x, y] });
const collection = (features: readonly object[]) => JSON.stringify({ type: 'FeatureCollection', features });
const feature = (id: string | number | undefined, geometry: object | null, properties: object) => ({
  type: 'Feature',
  ...(id !== undefined && { id }),
  geometry,
  properties,
});
const square = (west: number, east: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, -1],
      [east, -1],
      [east, 1],
      [west, 1],
      [west, -1],
    ],
  ],
});

const quoted = [
  'id,"a ""b"" & c",limit,name,day,moment,open,size,longitude,latitude',
  '1,"x ""y""",5,"Ä, \u202e",2020-01-01,2020-01-01T00:00:00Z,true,1.5,1,2',
  '2,,6,"line\nbreak",2020-02-29,2020-02-29T12:00:00+02:00,false,,,',
  '3,"<script>",7,\'; --,,,,-2,179.5,-10',
  '',
].join('\n');

/** Files by the slug of their dataset. */
export const hostilePayloads: Readonly<Record<string, readonly [name: string, text: string]>> = {
  quoted: ['quoted.csv', quoted],
  empty: ['empty.geojson', collection([])],
  plain: ['plain.csv', 'country,date,value\nFiji,2020-01-01,1\nTonga,2021-01-01,\n'],
  nulls: ['nulls.geojson', collection([1, 2, 3].map((n) => feature(undefined, null, { n })))],
  antimeridian: [
    'antimeridian.geojson',
    collection([
      feature(
        1,
        { type: 'MultiPolygon', coordinates: [square(177, 180), square(-180, -178)].map((one) => one.coordinates) },
        { name: 'Fiji' },
      ),
      feature(2, square(0, 1), { name: 'zero' }),
      feature(3, null, { name: 'nowhere' }),
    ]),
  ],
  ids: [
    'ids.geojson',
    collection(['a b', 'é?#%', '7', 'x+y&z=1', '..a'].map((id, n) => feature(id, point(n, n), { n, id: 'own' }))),
  ],
  slashes: ['slashes.geojson', collection(['a/b', 'c'].map((id, n) => feature(id, point(n, n), { n })))],
  twice: ['twice.geojson', collection([1, 1, 2].map((id, n) => feature(id, point(n, n), { n })))],
  spans: [
    'spans.csv',
    'name,valid_from,valid_to\nold,2000-01-01,2009-12-31\nnew,2010-01-01,\nalways,,\nlater,2030-01-01,2031-01-01\n',
  ],
  many: [
    'many.geojson',
    collection(
      Array.from({ length: 2500 }, (_, n) => feature(n + 1, point((n % 360) - 180, 0), { n, even: n % 2 === 0 })),
    ),
  ],
};

export async function publishHostileRows(workshop: Workshop): Promise<void> {
  for (const [slug, [name, text]] of Object.entries(hostilePayloads)) await workshop.publish(slug, name, text);
  await workshop.publish('report', 'report.pdf', '%PDF-1.4 nothing');
  const lab = { kind: 'dataset', namespace: 'lab' } as const;
  const label = '"</script><b>Quoted</b>';
  await workshop.catalogue.edit({ ...lab, slug: 'quoted' }, { label, description: '\u202e"\\ \u2028\n\n# Title' });
  await workshop.publish('secret', 'secret.csv', 'n\n1\n');
  await workshop.catalogue.edit({ ...lab, slug: 'secret' }, { visibility: 'private' });
  await workshop.catalogue.create('dataset', { label: 'Nothing yet', slug: 'nothing', namespace: 'lab' });
}
