/** Examples of the document, made as the API makes its responses. */
import { datasetFromRecord, datasetWithVersions, versionFromRecord } from '../../catalogue/entities.ts';
import { representDataset } from '../../catalogue/represent.ts';

const links = { base: 'https://data.example.org', suffix: '' };
const slug = '20300102030405000000';

const version = versionFromRecord(
  'parks',
  'trees',
  slug,
  {
    id: 1702,
    label: slug,
    datetime: '2030-01-02T03:04:05.000Z',
    checksum: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    file: { name: `${slug}.csv`, format: 'csv', media_type: 'text/csv', size: 81_920 },
    rows: 1200,
    bbox: [9.1, 55.2, 9.6, 55.5],
  },
  { size: 81_920 },
);
const dataset = datasetFromRecord('parks', 'trees', {
  id: 4711,
  label: 'Trees',
  description: 'Every tree that the city planted.',
  keywords: ['nature'],
  licence: 'CC-BY-4.0',
  columns: [
    { name: 'geometry', type: 'geometry' },
    { name: 'height', type: 'float', label: 'Height', unit: 'm' },
  ],
});

export const datasetExample = representDataset(datasetWithVersions(dataset, [version]), links);

export const datasetInputExample = {
  label: 'Trees',
  namespace: `${links.base}/api/v1/namespaces/parks/`,
  keywords: ['nature'],
  licence: 'CC-BY-4.0',
};

export const featureCollectionExample = {
  type: 'FeatureCollection',
  name: 'trees',
  numberMatched: 1200,
  numberReturned: 1,
  features: [
    { type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [9.5, 55.4] }, properties: { height: 12.5 } },
  ],
};

export const fieldErrorsExample = { label: ['This field is required.'] };
export const problemExample = { detail: 'Not found.' };
