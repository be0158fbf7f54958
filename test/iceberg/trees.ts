/** A catalogue whose datasets have changed as datasets do: columns that come, go, and get other names and types. */
import { Readable } from 'node:stream';
import type { UploadDetails } from '../../src/catalogue/catalogue.ts';
import { refOf, type VersionRef } from '../../src/catalogue/ref.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';

interface TreeVersion {
  readonly csv: string;
  readonly details?: UploadDetails;
  /** Ids and types of fields, by name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly rows: readonly object[];
}

const planted = new Date('1990-03-01');

/** The versions of `lab/trees`, the oldest first, with what readers of the table find. */
export const treeVersions: readonly TreeVersion[] = [
  {
    csv: 'id,name,height,planted,seen\n1,Oak,12.5,1990-03-01,2024-05-01T10:00:00\n2,,,,\n',
    fields: { id: '1 long', name: '2 string', height: '3 double', planted: '4 date', seen: '5 timestamp' },
    rows: [
      { id: 1n, name: 'Oak', height: 12.5, planted, seen: new Date('2024-05-01T10:00:00Z') },
      { id: 2n, name: null, height: null, planted: null, seen: null },
    ],
  },
  {
    // A column was renamed, one is missing, one is new, and one has got a zone.
    csv: 'id,label,planted,seen,note\n1,Oak,1990-03-01,2024-05-01T10:00:00+02:00,tall\n',
    details: { renames: [{ from: 'name', to: 'label' }], label: 'Spring survey' },
    fields: { id: '1 long', label: '2 string', planted: '4 date', seen: '6 timestamptz', note: '7 string' },
    rows: [{ id: 1n, label: 'Oak', planted, seen: new Date('2024-05-01T08:00:00Z'), note: 'tall' }],
  },
  {
    // A number has become a text, a column is back, and another column has the name that one had before.
    csv: 'id,label,name,height,planted,seen,note\nA1,Oak,Quercus,13.5,1990-03-01,2024-05-01T10:00:00Z,old\n',
    fields: {
      id: '8 string',
      label: '2 string',
      name: '9 string',
      height: '3 double',
      planted: '4 date',
      seen: '6 timestamptz',
      note: '7 string',
    },
    rows: [
      {
        id: 'A1',
        label: 'Oak',
        name: 'Quercus',
        height: 13.5,
        planted,
        seen: new Date('2024-05-01T10:00:00Z'),
        note: 'old',
      },
    ],
  },
];

const places = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [1, 2] },
      properties: { tags: ['a', 'b'], owner: { name: 'Ann' } },
    },
    { type: 'Feature', geometry: null, properties: { tags: null, owner: null } },
  ],
};

/** The namespace `lab` with `trees`, and with datasets that are tables in part or not at all. */
export async function makeTreesWorkshop(): Promise<Workshop> {
  const workshop = await makeWorkshop();
  const { catalogue } = workshop;
  const publish = async (slug: string, fileName: string, text: string, details: UploadDetails = {}) => {
    const ref = { kind: 'dataset', namespace: 'lab', slug } as const;
    await catalogue.get(ref).catch(() => catalogue.create('dataset', { label: slug, slug, namespace: 'lab' }));
    return catalogue.publish(ref, { source: Readable.from([Buffer.from(text)]), fileName, ...details });
  };
  for (const { csv, details } of treeVersions) await publish('trees', 'trees.csv', csv, details);
  await publish('places', 'places.geojson', JSON.stringify(places));
  await publish('empty', 'empty.csv', 'id,name\n', { force: true });
  await publish('mixed', 'mixed.csv', 'id\n1\n');
  const { version } = await publish('mixed', 'mixed.csv', 'id\n1\n2\n');
  await catalogue.edit(refOf(version) as VersionRef, { ready: false });
  await publish('mixed', 'mixed.csv', 'id\n1\n2\n3\n', { ready: false });
  await publish('mixed', 'mixed.pdf', '%PDF-1.4 nothing', { replace: true, force: true });
  await publish('paper', 'paper.pdf', '%PDF-1.4 nothing');
  await publish('hidden', 'hidden.csv', 'id\n1\n');
  await catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'hidden' }, { visibility: 'private' });
  return workshop;
}
