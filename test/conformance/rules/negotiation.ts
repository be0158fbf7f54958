/** Which representation is answered: RFC 9110, section 12, and where that is silent, as Django REST Framework does. */
import { each, type Rule } from './rule.ts';

const address = '/api/v1/namespaces/harbour-city/';
const json = 'application/json';
const html = 'text/html';
const refused = 'Could not satisfy the request Accept header.';
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const accepts: readonly Rule[] = [
  ...each(
    [
      ['application/*', json, 'JSON is the default'],
      ['application/json, application/xml', json, 'one of them will do'],
      ['text/*, application/*', json, 'equal quality, equally specific: JSON'],
      ['application/json;q=0.5, text/html;q=0.5', json, 'equal qualities: JSON'],
      ['text/html;q=0.5, application/json', json, 'the higher quality wins'],
      ['text/html;q=0.5, application/json;q=0.501', json, 'to the third decimal'],
      ['text/html;q=0, */*', json, 'q=0 refuses HTML'],
      ['application/json; charset=utf-8', json, 'a parameter prevents no match'],
      [' ', json, 'nothing but blanks is no Accept'],
      [browser, html, 'a browser gets a page'],
      ['text/html, application/json;q=0.9', html, 'the higher quality wins'],
      ['application/json;q=0.8, text/html;q=0.9', html, 'in any order'],
      ['text/*, application/json;q=0.1', html, 'quality before specificity'],
      ['application/json;q=0, text/html', html, 'q=0 refuses JSON'],
      ['application/json;q=0, */*', html, 'the more specific entry says what the quality of JSON is'],
      ['text/html, */*', html, 'equal quality: the type that is named before the one that is not'],
      ['TEXT/HTML', html, 'media types have no case'],
    ],
    (accept, type, why) => ({
      ask: `GET ${address}`,
      headers: { Accept: accept },
      status: 200,
      type,
      header: { vary: /\baccept\b(?!-)/i },
      why,
    }),
  ),
  ...each(
    [
      ['text/plain', 'not rendered'],
      ['application/geo+json', 'a namespace has no geometry'],
      ['application/json;q=0', 'refused, and nothing else asked for'],
      ['*/*;q=0', 'everything is refused'],
      ['application/json;q=0, text/html;q=0.0', 'both are refused'],
      ['json', 'a bare word is no media type'],
    ],
    (accept, why) => ({
      ask: `GET ${address}`,
      headers: { Accept: accept },
      status: 406,
      detail: refused,
      allow: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS',
      header: { vary: /\baccept\b(?!-)/i },
      why,
    }),
  ),
  {
    ask: 'GET /api/v1/namespaces/none/',
    headers: { Accept: 'application/xml' },
    status: 406,
    detail: refused,
    why: '406 comes before the look-up',
  },
  {
    ask: 'OPTIONS /api/v1/datasets/',
    headers: { Accept: 'application/xml' },
    status: 406,
    detail: refused,
    allow: 'GET, POST, HEAD, OPTIONS',
    why: 'OPTIONS follows Accept, too',
  },
  {
    ask: 'DELETE /api/v1/',
    headers: { Accept: 'application/xml' },
    status: 406,
    detail: refused,
    why: '406 comes before 401 and before 405',
  },
  {
    ask: 'POST /api/v1/datasets/',
    headers: { Accept: html },
    send: {},
    status: 401,
    type: html,
    header: { 'www-authenticate': /^Token/i },
    why: 'errors follow Accept',
  },
  { ask: `GET ${address}`, status: 200, header: { 'content-type': json }, why: 'JSON is UTF-8 and says no charset' },
  {
    ask: 'GET /api/v1/namespaces/lac-leman/datasets/patrimoine-bati/',
    status: 200,
    contains: ['"label":"Patrimoine bâti <protégé>"', '<b>note 1</b> & note 2.'],
    why: 'letters and markup are not escaped, separators have no blanks',
  },
];

const formats: readonly Rule[] = [
  ...each(
    [
      ['format=json', html, json, 'format wins over Accept'],
      ['format=json', 'application/xml', json, 'even where Accept could not be satisfied'],
      ['format=json', `${json};q=0`, json, 'or refuses it'],
      ['format=api', json, html, 'api is the page for people'],
      ['_format=json', html, json, 'the older spelling'],
      ['_format=api', json, html, 'the older spelling'],
      ['format=', html, html, 'a blank format is none'],
      ['format=', '*/*', json, 'a blank format is none'],
    ],
    (query, accept, type, why) => ({
      ask: `GET ${address}?${query}`,
      headers: { Accept: accept },
      status: 200,
      type,
      why,
    }),
  ),
  ...each(
    [
      ['GET', `${address}?format=JSON`, 'upper case is unknown'],
      ['GET', `${address}?_format=xml`, 'the older spelling is no laxer'],
      ['GET', '/api/v1/?format=xml', 'at the root'],
      ['OPTIONS', `${address}?format=xml`, 'OPTIONS asks for a format, too'],
      ['PUT', `${address}?format=xml`, 'before credentials are looked at'],
      ['DELETE', '/api/v1/?format=xml', 'and before the method'],
    ],
    (method, path, why) => ({ ask: `${method} ${path}`, status: 404, detail: 'Not found.', why }),
  ),
  {
    ask: `GET ${address}?format=xml`,
    headers: { Accept: 'application/xml' },
    status: 404,
    detail: 'Not found.',
    allow: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS',
    why: 'an unknown format is 404, not 406',
  },
  { ask: `HEAD ${address}?format=xml`, status: 404, why: 'HEAD as GET' },
  {
    ask: 'GET /api/v1/datasets/?format=&page_size=25',
    status: 200,
    count: 26,
    next: '?format=&page=2&page_size=25',
    why: 'a blank format stays in the links between pages, as every blank parameter does',
  },
];

export const negotiation: readonly Rule[] = [...accepts, ...formats];
