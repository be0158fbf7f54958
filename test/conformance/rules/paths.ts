/** Addresses: with and without the final slash, broken ones, and those that aren't there. */
import { each, type Rule } from './rule.ts';

const html = { Accept: 'text/html' };

const slashes: readonly Rule[] = [
  ...each(
    [
      ['/api/v1', '/api/v1/', 'the root'],
      ['/api/v1/datasets?page=2&search=a%20b&x', '/api/v1/datasets/?page=2&search=a%20b&x', 'the query as it came'],
      ['/api/v1/namespaces/none', '/api/v1/namespaces/none/', 'there is no look-up'],
      ['/api/v1/namespaces/none/datasets/none/data', '/api/v1/namespaces/none/datasets/none/data/', 'nor below'],
      ['/api/v1/users/chloe.d', '/api/v1/users/chloe.d/', 'a username may have a dot'],
      ['/api/v1/datasets?format=xml', '/api/v1/datasets/?format=xml', 'the route comes before the format'],
    ],
    (path, to, why) => ({ ask: `GET ${path}`, status: 301, type: null, header: { location: ours(to) }, why }),
  ),
  {
    ask: 'HEAD /api/v1/datasets',
    status: 301,
    type: null,
    header: { location: ours('/api/v1/datasets/') },
    why: 'HEAD as GET',
  },
  {
    ask: 'GET /api/v1/namespaces',
    headers: { Accept: 'application/xml', Authorization: 'Token nope' },
    status: 301,
    type: null,
    header: { location: ours('/api/v1/namespaces/') },
    why: 'neither Accept nor credentials are looked at',
  },
];

/** The path, or the same with the server's own address before it. */
function ours(location: string): RegExp {
  return new RegExp(`^(\\{base_url\\})?${location.replace(/[.?+]/g, '\\$&')}$`);
}

const long = 'x'.repeat(5000);

/** Answered by 400 or 404, as JSON: never by an error of the server, and never by a file. */
const broken: readonly Rule[] = each(
  [
    ['/api/v1/namespaces/%2e%2e/', 'two encoded dots'],
    ['/api/v1/namespaces/../datasets/', 'two dots are no way up'],
    ['/api/v1/namespaces/%2e%2e/%2e%2e/', 'two encoded dots, twice'],
    ['/api/v1/users/%2e%2e/', 'a username may have dots, but not be ..'],
    ['/api/v1/users/..%2f..%2fcatalogue/', 'an encoded way out of the folder'],
    ['/api/v1/groups/..%2fusers%2falice/', 'an encoded way to another record'],
    ['/api/v1/groups/..%5cusers%5calice/', 'with backslashes'],
    ['/api/v1/namespaces/a%2fb/', 'an encoded slash'],
    ['/api/v1/namespaces/harbour-city%00/', 'NUL'],
    ['/api/v1/namespaces/%ff/', 'bytes that are no UTF-8'],
    ['/api/v1/namespaces/%c0%ae/', 'an overlong dot'],
    ['/api/v1/namespaces/%ed%a0%80/', 'a surrogate'],
    ['/api/v1/namespaces/%zz/', 'a percent sign without digits'],
    ['/api/v1/namespaces/100%/', 'a percent sign alone'],
    ['/api/v1/namespaces/%0d%0aX-A:b/', 'a line break'],
    [`/api/v1/namespaces/${long}/`, 'longer than any file name'],
    [`/api/v1/namespaces/harbour-city/datasets/${long}/`, 'longer than any file name'],
    [`/api/v1/users/${long}/`, 'longer than any file name'],
    [`/api/v1/namespaces/harbour-city/datasets/street-trees/version/${long}/download/`, 'longer than any file name'],
    ['/api/v1/intrinsecus/99999999999999999999/', 'longer than any identifier'],
    ['/api/v1/intrinsecus/x/', 'no identifier'],
    ['/site_media/..%2fcatalogue.yaml', 'the settings are no image'],
    ['/site_media/%2e%2e/catalogue.yaml', 'the settings are no image'],
    ['/schemas/..%2f..%2fpackage.json', 'no file of the program is a schema'],
  ],
  (path, why) => ({ ask: `GET ${path}`, status: [400, 404], why }),
);

const missing: readonly Rule[] = [
  ...each(
    [
      ['/api/v1//datasets/', 'an empty segment'],
      ['//api/v1/', 'in front'],
      ['/api/v1/datasets//', 'at the end'],
      ['/api/v1/namespaces//datasets/', 'for a slug'],
      ['/api/v1/namespaces/har.bour/', 'a slug has no dot'],
      ['/api/v1/namespaces/harbour%2ecity/', 'encoded neither'],
      ['/api/v1/Datasets/', 'case matters'],
      ['/api/v3/', 'another version'],
      ['/api/v1/datasets/7/', 'a dataset is below its namespace'],
      ['/nothing', 'outside the API'],
      ['/schemas/nothing.json', 'no schema'],
      ['/site_media/images/parks.jpg', 'an image that is named but not there'],
    ],
    (path, why) => ({ ask: `GET ${path}`, status: 404, detail: 'Not found.', why: `no route: ${why}` }),
  ),
  ...each(
    [
      ['/api/v1/namespaces/harbour%20city/', 'a blank'],
      ['/api/v1/namespaces/Harbour-City/', 'case'],
      ['/api/v1/namespaces/lac-l%C3%A9man/', 'a letter outside ASCII'],
    ],
    (path, why) => ({
      ask: `GET ${path}`,
      status: 404,
      detail: 'Not found.',
      allow: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS',
      header: { vary: /\baccept\b(?!-)/i },
      why: `reaches the look-up and is not found: ${why}`,
    }),
  ),
  ...each([['/api/v1/nothing/'], ['/nothing/'], ['/api/v1//']], (path) => ({
    ask: `GET ${path}`,
    headers: html,
    status: 404,
    type: 'text/html',
    why: 'no route, and a page was asked for',
  })),
  {
    ask: 'GET /api/v1/nothing/',
    headers: { Accept: 'application/xml' },
    status: 404,
    detail: 'Not found.',
    why: 'the route comes before Accept',
  },
  {
    ask: 'GET /api/v1/namespaces/harbour-city/datasets/none/data/',
    headers: html,
    status: 404,
    type: 'text/html',
    why: 'no such dataset, and a page was asked for',
  },
];

const spellings: readonly Rule[] = each(
  [
    ['/api/v1/namespaces/harbour%2Dcity/', 'an encoded hyphen'],
    ['/api/v1/namespaces/%68arbour-cit%79/', 'encoded letters'],
    ['{base_url}/api/v1/namespaces/harbour-city/', 'the absolute form, which older clients send'],
  ],
  (path, why) => ({ ask: `GET ${path}`, status: 200, body: { slug: 'harbour-city' }, why: `the same address: ${why}` }),
);

export const paths: readonly Rule[] = [...slashes, ...broken, ...missing, ...spellings];
