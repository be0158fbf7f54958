/**
 * Search, ordering and filters. Letters are searched without accents and case; labels are ordered by code point, as the
 * recorded exchanges say (the orders here would be the same without accents).
 */
import { each, type Rule } from './rule.ts';

const all = { count: 26 };

const search: readonly Rule[] = [
  ...each(
    [
      ['street,height', ['street-trees'], 'a comma separates terms as a blank does; each may be in another field'],
      ['street%09height', ['street-trees'], 'so does a tabulator'],
      ['fer%00ry', ['ferry-stops'], 'NUL is dropped'],
      ['FERRY', ['ferry-stops'], 'case does not matter'],
      ['%25', ['legacy-import'], 'a percent sign is literal'],
      ['%22catchment%22', ['school-catchment-districts'], 'so are quotation marks'],
      ['%E6%9D%B1%E4%BA%AC', ['tokyo-stations'], 'every script is searched'],
      ['%C3%A9t%C3%A9', ['ete-plages-surveillees'], 'é finds É'],
      ['PROT%C3%89G%C3%89', ['patrimoine-bati'], 'É finds é'],
      ['protege', ['patrimoine-bati'], 'a letter without its accent finds the one with it'],
      ['prote%CC%81ge%CC%81', ['patrimoine-bati'], 'letter and accent may be two characters'],
      ['gr%C3%B6%C3%9Fe', ['messnetz-grosse-ubersicht'], 'ß and ö as they are written'],
      ['regionales', ['arrets-de-bus'], 'descriptions are folded, too'],
    ],
    (terms, slugs, why) => ({ ask: `GET /api/v1/datasets/?search=${terms}`, status: 200, slugs, why }),
  ),
  ...each([[','], ['%20,%20'], ['%00']], (terms) => ({
    ask: `GET /api/v1/datasets/?search=${terms}`,
    status: 200,
    ...all,
    why: 'no term, no filter',
  })),
  {
    ask: 'GET /api/v1/datasets/?search=%ff',
    status: [200, 400],
    why: 'bytes that are no UTF-8 are no reason to fall over',
  },
  {
    ask: 'GET /api/v1/versions/?search=2018',
    status: 200,
    slugs: ['20180905050505050505', '20180312081530123456', '20180214142536475869', '20180101000000002000'],
    why: 'versions are found by label and slug, newest first',
  },
  { ask: 'GET /api/v1/versions/?search=flood', status: 200, count: 0, why: 'and not by the name of their dataset' },
  {
    ask: 'GET /api/v1/groups/?search=survey,team,10',
    status: 200,
    slugs: ['team-010', 'team-100', 'team-101'],
    why: 'all terms must be found',
  },
  {
    ask: 'GET /api/v1/users/?search=ALI',
    status: 200,
    body: { results: [{ username: 'alice' }] },
    why: 'users are found by username',
  },
  {
    ask: 'GET /api/v1/namespaces/?search=DONNEES',
    status: 200,
    slugs: ['lac-leman'],
    why: 'namespaces are found without accents and case',
  },
  {
    ask: 'GET /api/v1/namespaces/harbour-city/?search=zzzz',
    status: 200,
    body: { slug: 'harbour-city' },
    why: 'a search has no business at one resource (the recorded service answered 404, which is not to be copied)',
  },
];

const ordering: readonly Rule[] = [
  {
    ask: 'GET /api/v1/datasets/?ordering=%20label%20,%20-id&page_size=3',
    status: 200,
    slugs: ['legacy-import', 'administrative-boundaries', 'arrets-de-bus'],
    next: '?ordering=+label+%2C+-id&page=2&page_size=3',
    why: 'blanks around fields are trimmed, and kept in the link',
  },
  ...each([[''], [','], ['-'], ['nope,-nope']], (fields) => ({
    ask: `GET /api/v1/datasets/?ordering=${fields}&page_size=3`,
    status: 200,
    slugs: ['parks-gardens', 'administrative-boundaries', 'bicycle-parking'],
    why: 'no field is left: the default order',
  })),
  {
    ask: 'GET /api/v1/datasets/?ordering=-slug&page_size=3',
    status: 200,
    slugs: ['vignobles', 'tokyo-stations', 'street-trees'],
    why: 'a minus is descending',
  },
  {
    ask: 'GET /api/v1/datasets/?ordering=-slug,-id&page_size=2&page=last',
    status: 200,
    body: { results: [{ id: 21 }, { id: 2 }] },
    why: 'each field has its own direction',
  },
  {
    ask: 'GET /api/v1/datasets/?ordering=slug&ordering=-id&page_size=2',
    status: 200,
    body: { results: [{ id: 30 }, { id: 28 }] },
    why: 'the last of repeated ones counts',
  },
  ...each(
    [
      ['username', ['alice', 'bob', 'chloe.d']],
      ['-id', ['chloe.d', 'bob', 'alice']],
      ['-username,id', ['chloe.d', 'bob', 'alice']],
      ['-label', ['alice', 'bob', 'chloe.d']],
    ],
    (fields, names) => ({
      ask: `GET /api/v1/users/?ordering=${fields}`,
      status: 200,
      body: { results: names.map((username) => ({ username })) },
      why: 'users are ordered by id and username, and by nothing else',
    }),
  ),
  {
    ask: 'GET /api/v1/versions/?page_size=3',
    status: 200,
    slugs: ['20230621090000500000', '20230601043000000300', '20230501043000000200'],
    why: 'versions are newest first, whatever the default order of lists',
  },
  {
    ask: 'GET /api/v1/versions/?ordering=label&page_size=2',
    status: 200,
    slugs: ['20131231235959000000', '20140715070000000000'],
    why: 'unless asked otherwise',
  },
  {
    ask: 'GET /api/v1/groups/?ordering=-slug&page_size=2',
    status: 200,
    slugs: ['team-101', 'team-100'],
    why: 'groups by slug, descending',
  },
];

const filters: readonly Rule[] = [
  {
    ask: 'GET /api/v1/datasets/?namespace=lac-leman',
    status: 200,
    slugs: [
      'arrets-de-bus',
      'ete-plages-surveillees',
      'communes-du-district',
      'qualite-de-leau',
      'vignobles',
      'administrative-boundaries',
      'patrimoine-bati',
      'hauteur-de-neige',
    ],
    why: 'the datasets of a namespace',
  },
  {
    ask: 'GET /api/v1/datasets/?namespace=harbour-city&page_size=5',
    status: 200,
    count: 11,
    next: '?namespace=harbour-city&page=2&page_size=5',
    why: 'a filter stays in the links',
  },
  {
    ask: 'GET /api/v1/datasets/?namespace=lac-leman&type=float',
    status: 200,
    slugs: ['ete-plages-surveillees', 'qualite-de-leau', 'vignobles'],
    why: 'filters are joined by AND',
  },
  {
    ask: 'GET /api/v1/datasets/?namespace=lac-leman&search=surveill%C3%A9es&ordering=-id',
    status: 200,
    slugs: ['ete-plages-surveillees'],
    why: 'filter, search and ordering work together',
  },
  ...each(
    [
      ['datasets/?type=geometry', 23, 'datasets that have a column of the type'],
      ['datasets/?type=string', 16, 'a dataset with several such columns counts once'],
      ['datasets/?type=date', 0, 'no dataset has one'],
      ['datasets/?namespace=nowhere', 0, 'no such namespace, no dataset'],
      ['datasets/?namespace=field-survey&namespace=lac-leman', 15, 'of several values of a field, any'],
      ['datasets/?keyword=trees', 0, 'no dataset of the fixture has keywords'],
      ['datasets/?licence=CC-BY-4.0', 0, 'or names a licence'],
      ['versions/?ready=true', 38, 'all but one are ready'],
      ['versions/?namespace=field-survey', 9, 'the versions of a namespace'],
      ['versions/?ready=true&search=2023', 4, 'with a search'],
    ],
    (path, count, why) => ({ ask: `GET /api/v1/${path}`, status: 200, count, why }),
  ),
  {
    ask: 'GET /api/v1/versions/?ready=false',
    status: 200,
    slugs: ['20230228121314151617'],
    why: 'the version that is not ready',
  },
];

export const searching: readonly Rule[] = [...search, ...ordering, ...filters];
