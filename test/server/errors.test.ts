/** One error shape: every way in which reading can fail, its status, its body, its headers; never a trace of the machine. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import * as errors from '../../src/catalogue/errors.ts';
import { errorResponse } from '../../src/server/errors.ts';
import { served } from '../support/served.ts';

const slug = '20200101000000000000';
const { base, folder } = await served({
  namespaces: { parks: { label: 'x' } },
  datasets: { 'parks/trees': { label: 'x' }, 'parks/gone': { label: 'x' } },
  versions: { [`parks/gone@${slug}`]: { file: { name: 'a.csv' } }, [`parks/trees@${slug}`]: { ready: false } },
  files: { 'namespaces/parks/datasets/gone/data/a.csv': 'a\n1\n' },
});
const trees = '/api/v1/namespaces/parks/datasets/trees/';
const missing = { detail: 'Not found.' };

type Case = readonly [ask: string, status: number, body: unknown, headers?: Record<string, string>];
const cases: readonly Case[] = [
  ['GET /nothing', 404, missing],
  ['POST /nothing', 404, missing],
  ['GET /api/v1/nothing/', 404, missing],
  ['GET /api/v1/namespaces/none/', 404, missing],
  ['GET /api/v1/namespaces/none/datasets/', 404, missing],
  ['GET /api/v1/namespaces/parks/datasets/none/', 404, missing],
  ['GET /api/v1/namespaces/parks/datasets/none/version/', 404, missing],
  [`GET ${trees}version/none/`, 404, missing],
  [`GET ${trees}version/latest/`, 404, { detail: 'No version of this dataset is ready.' }],
  [`GET ${trees}download/`, 404, { detail: 'No version of this dataset is ready.' }],
  [`GET ${trees}data/`, 404, { detail: 'No version of this dataset is ready.' }],
  [
    `GET ${trees}data.exe`,
    404,
    {
      detail:
        'Unknown format "exe". There are geojson, json, objects, ndjson, geojsonl, csv, excel, parquet, gpkg, pmtiles, csvt, prj.',
    },
  ],
  [`GET ${trees}version/${slug}/download/`, 404, undefined],
  ['GET /api/v1/groups/none/', 404, missing],
  ['GET /api/v1/users/none/', 401, { detail: 'Authentication credentials were not provided.' }],
  ['GET /api/v1/queries/none/', 404, missing],
  ['GET /api/v1/intrinsecus/0/', 404, missing],
  ['GET /schemas/none.json', 404, missing],
  ['GET /schemas/__proto__', 404, missing],
  ['GET /site_media/none.png', 404, missing],
  ['GET /api/v1/datasets/?page=0', 404, { detail: 'Invalid page.' }],
  ['GET /api/v1/datasets/?page=99', 404, { detail: 'Invalid page.' }],
  ['GET /api/v1/datasets/?format=xml', 404, missing],
  ['GET /api/v1/datasets/?format=constructor', 404, missing],
  [
    'GET /api/v1/datasets/?ready=yes',
    400,
    { ready: ['Select a valid choice. yes is not one of the available choices: true, false.'] },
  ],
  ['GET /api/v1/datasets/?year=abc', 400, { year: ['Enter a value such as 2026, not "abc".'] }],
  ['GET /api/v1/datasets/', 406, { detail: 'Could not satisfy the request Accept header.' }, { Accept: 'image/png' }],
  ['GET /api/v1/auth/token/obtain/', 405, { detail: 'Method "GET" not allowed.' }],
  ['HEAD /api/v1/auth/token/obtain/', 405, undefined],
  ['POST /api/v1/datasets/', 401, { detail: 'Authentication credentials were not provided.' }],
  ['PUT /healthz', 401, { detail: 'Authentication credentials were not provided.' }],
  ['GET /api/v1/', 401, { detail: 'Invalid token.' }, { Authorization: 'Token x' }],
  ['GET /api/v1/', 401, { detail: 'Invalid token.' }, { Authorization: 'Bearer x' }],
  ['GET /api/v1/', 401, { detail: 'Invalid token header. No credentials provided.' }, { Authorization: 'Token' }],
  [
    'GET /api/v1/',
    401,
    { detail: 'Invalid token header. Token string should not contain spaces.' },
    { Authorization: 'Token a b' },
  ],
  [
    'GET /api/v1/',
    401,
    { detail: 'Invalid token header. Token string should not contain invalid characters.' },
    { Authorization: 'Token \xff' },
  ],
];

/** What nobody outside needs to know. */
const machine = [tmpdir(), homedir(), process.cwd(), 'node_modules', 'node:internal', '    at '];
const clean = (text: string) => {
  for (const part of machine) if (part.length > 3) assert.ok(!text.includes(part), `${part} in ${text.slice(0, 500)}`);
};

describe('every way to fail', () => {
  for (const [ask, status, body, headers = {}] of cases)
    it(`${ask} ${JSON.stringify(headers)}: ${status}`, async () => {
      const [method = '', path = ''] = ask.split(' ');
      const answer = await fetch(`${base}${path}`, { method, headers });
      const text = await answer.text();
      clean(text);
      assert.equal(answer.status, status, text);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      if (body !== undefined) assert.deepEqual(JSON.parse(text), body);
      else if (method !== 'HEAD') assert.equal(typeof (JSON.parse(text) as { detail: string }).detail, 'string');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      assert.match(answer.headers.get('vary') ?? '', /Accept/);
      assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Token' : null);
      if (status === 405) assert.equal(answer.headers.get('allow'), 'POST, OPTIONS');
      if (status === 406 || status === 401) return;

      const page = await fetch(`${base}${path}`, { method, headers: { ...headers, Accept: 'text/html' } });
      const html = await page.text();
      clean(html);
      // Where HTML can't be had, that is what is wrong with it.
      if (page.status === 406) return;
      assert.equal(page.status, status);
      if (!/format=|data\.exe/.test(path) || page.headers.get('content-type')?.startsWith('text/html'))
        assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    });

  it('a payload that went away a moment ago', async () => {
    await rm(folder.path('namespaces/parks/datasets/gone/data'), { recursive: true });
    const answer = await fetch(`${base}/api/v1/namespaces/parks/datasets/gone/version/${slug}/download/`);
    const text = await answer.text();
    assert.equal(answer.status, 404, text);
    clean(text);
  });

  it('markup in the address is text on the page', async () => {
    for (const path of [
      '/api/v1/datasets/?ready=<script>alert(1)</script>',
      '/api/v1/namespaces/%3Cscript%3E/',
      '/<script>',
    ])
      assert.doesNotMatch(
        await (await fetch(`${base}${path}`, { headers: { Accept: 'text/html' } })).text(),
        /<script(?! type="module" src=)/,
      );
  });
});

describe('the table', () => {
  const table: readonly (readonly [unknown, number, Record<string, unknown>])[] = [
    [new errors.ValidationError({ label: ['odd'] }), 400, { label: ['odd'] }],
    [new errors.NotAuthenticatedError(), 401, { detail: 'Authentication credentials were not provided.' }],
    [new errors.NotPermittedError(), 403, { detail: 'You do not have permission to perform this action.' }],
    [new errors.NotFoundError(), 404, missing],
    [new errors.ConflictError('taken'), 409, { detail: 'taken' }],
    [new errors.UnavailableError('busy'), 503, { detail: 'busy' }],
    [Object.assign(new Error('too long'), { status: 413, expose: true }), 413, { detail: 'too long' }],
    [Object.assign(new Error('secret'), { status: 500, expose: true }), 500, { detail: 'A server error occurred.' }],
    [Object.assign(new Error('secret'), { status: 404 }), 500, { detail: 'A server error occurred.' }],
    [new TypeError('secret'), 500, { detail: 'A server error occurred.' }],
    [new errors.CatalogueError('secret'), 500, { detail: 'A server error occurred.' }],
    ['secret', 500, { detail: 'A server error occurred.' }],
    [undefined, 500, { detail: 'A server error occurred.' }],
    [null, 500, { detail: 'A server error occurred.' }],
  ];
  for (const [error, status, body] of table)
    it(`${error}: ${status}`, () => {
      const answer = errorResponse(error);
      assert.equal(answer.status, status);
      assert.deepEqual(answer.body, body);
      assert.equal(answer.unexpected, status === 500);
      assert.equal(
        answer.headers.some(([name]) => name === 'Retry-After'),
        status === 503,
      );
    });
});
