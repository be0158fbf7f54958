/** Collections within resources, further addresses, and the server's own address. */
import { each, type Rule } from './rule.ts';

const city = '/api/v1/namespaces/harbour-city/';
const trees = `${city}datasets/street-trees/`;
const treesVersions = ['20200518093015987654', '20190401120000500000', '20180312081530123456'];

export const resources: readonly Rule[] = [
  {
    ask: `GET ${city}datasets/`,
    status: 200,
    count: 11,
    slugs: [
      'parks-gardens',
      'administrative-boundaries',
      'bicycle-parking',
      'noise-levels-2019',
      'street-trees',
      'flood-zones',
      'quay-walls',
      'school-catchment-districts',
      'drinking-fountains',
      'ferry-stops',
    ],
    allow: 'GET, POST, HEAD, OPTIONS',
    why: 'the datasets of one namespace, in the order of all lists',
  },
  {
    ask: `GET ${city}datasets/?search=street&ordering=-id`,
    status: 200,
    slugs: ['street-lamps', 'school-catchment-districts', 'street-trees'],
    why: 'search and ordering work there as well',
  },
  {
    ask: `GET ${trees}version/`,
    status: 200,
    count: 3,
    slugs: treesVersions,
    allow: 'GET, HEAD, OPTIONS',
    why: 'the versions of one dataset, newest first',
  },
  {
    ask: `GET ${trees}version/?ordering=slug&page_size=1`,
    status: 200,
    slugs: ['20180312081530123456'],
    next: '?ordering=slug&page=2&page_size=1',
    previous: null,
    why: 'in pages of its own',
  },
  ...each(
    [
      ['/api/v1/namespaces/none/datasets/', 'no such namespace'],
      [`${city}datasets/none/version/`, 'no such dataset'],
      ['/api/v1/namespaces/lac-leman/datasets/street-trees/version/', 'a dataset of another namespace'],
      ['/api/v1/namespaces/lac-leman/datasets/street-trees/', 'a dataset of another namespace'],
      [`${city}datasets/street-lamps/version/latest/`, 'no version, no latest one'],
      [`${trees}version/20000101000000000000/data/`, 'data of no version'],
      [`${trees}version/20000101000000000000/download/`, 'download of no version'],
      ['/api/namespaces/none/sources/none/data/', 'the older form of nothing'],
    ],
    (path, why): Rule => ({ ask: `GET ${path}`, status: 404, detail: 'Not found.', why }),
  ),
  { ask: `GET ${city}datasets/street-lamps/version/`, status: 200, count: 0, length: 0, why: 'no version is no error' },
  {
    ask: `GET ${trees}version/latest/`,
    status: 200,
    body: {
      slug: '20200518093015987654',
      ready: true,
      url: `{base_url}${trees}version/20200518093015987654/`,
    },
    why: 'the newest version, answered directly; its own address is the lasting one',
  },
  {
    ask: `GET ${city}datasets/flood-zones/version/latest/`,
    status: 200,
    body: { slug: '20180905050505050505', ready: true },
    why: 'a newer one is not ready',
  },
  {
    ask: `GET ${city}datasets/flood-zones/version/20230228121314151617/`,
    status: 200,
    body: { slug: '20230228121314151617', ready: false },
    why: 'a version that is not ready can be looked at',
  },
  ...each(
    [
      [`${trees}version/latest/data/`],
      [`${trees}version/20180312081530123456/data/`],
      ['/api/namespaces/harbour-city/sources/street-trees/data/'],
    ],
    (path): Rule => ({
      ask: `GET ${path}`,
      status: 200,
      body: { type: 'FeatureCollection', name: 'street-trees' },
      why: 'rows are answered directly, without a redirect',
    }),
  ),
  {
    ask: 'GET /api/v1/namespaces/harbour-city/?format=json',
    status: 200,
    body: { url: '{base_url}/api/v1/namespaces/harbour-city/?format=json' },
    why: 'the format is copied into the links',
  },
  {
    ask: 'GET /api/v1/namespaces/harbour-city/?format=',
    status: 200,
    body: { slug: 'harbour-city' },
    why: 'a blank one is ignored',
  },
  ...each(
    [['/healthz'], ['/readyz']],
    (path): Rule => ({
      ask: `GET ${path}`,
      status: 200,
      type: null,
      why: 'whoever keeps the server running asks for it',
    }),
  ),
  {
    ask: 'GET /schemas/dataset.json',
    status: 200,
    type: null,
    header: { 'content-type': /^application\/(schema\+)?json(;|$)/ },
    body: { title: 'Dataset', type: 'object', required: ['label'], properties: { label: { type: 'string' } } },
    why: 'the schema of dataset.yaml, for editors',
  },
  {
    ask: `GET ${city}`,
    headers: { Host: 'data.example:8080' },
    status: 200,
    body: { url: 'http://data.example:8080/api/v1/namespaces/harbour-city/' },
    why: 'no base_url is set: links have the host that was asked',
  },
  {
    ask: `GET ${city}`,
    headers: { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Forwarded: 'host=evil.example' },
    status: 200,
    body: { url: `{base_url}${city}` },
    why: 'nobody but a trusted proxy says what the host is',
  },
  ...each(
    [
      ['GET', city, /no-cache|max-age=0|must-revalidate/],
      ['GET', '/api/v1/datasets/', /no-cache|max-age=0|must-revalidate/],
      ['GET', `${trees}download/`, /^(?!.*immutable).*(no-cache|max-age=0|must-revalidate)/],
      ['GET', `${trees}version/latest/download/`, /^(?!.*immutable).*(no-cache|max-age=0|must-revalidate)/],
      ['GET', `${trees}version/20200518093015987654/download/`, /immutable/],
    ],
    (method, path, pattern): Rule => ({
      ask: `${method} ${path}`,
      status: 200,
      type: null,
      header: { 'cache-control': pattern },
      why: "only a concrete version's bytes never change",
    }),
  ),
];
