/** Rules are checks: each thing that one says must be able to fail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../exchange.ts';
import { differences, exchangeOf, type Rule } from './rule.ts';

const base = 'http://catalogue.example';

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const all = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', ...headers };
  return { status, headers: Object.entries(all), raw: Buffer.from(JSON.stringify(body)) };
}

const page = { count: 3, next: `${base}/api/v1/x/?page=2`, previous: null, results: [{ slug: 'a' }, { slug: 'b' }] };
const link = { link: `<${base}/api/v1/x/?page=2>; rel="next"` };
const rule: Rule = { ask: 'GET /api/v1/x/?y=1', status: 200, why: '' };

describe('a rule', () => {
  const right: [Partial<Rule>, Answer][] = [
    [{ count: 3, next: '?page=2', previous: null, slugs: ['a', 'b'], length: 2 }, answer(200, page)],
    [{ header: { link: /<\{base_url\}.*next/, etag: null } }, answer(200, page, link)],
    [{ header: { link: /^(?!.*next)/ } }, answer(200, page)],
    [{ status: [400, 404] }, answer(404, { detail: 'x' })],
    [{ status: 404, detail: 'Not found.' }, answer(404, { detail: 'Not found.' })],
    [{ status: 400, detail: 'Not…' }, answer(400, { detail: 'Not at all.' })],
    [{ type: 'text/html' }, answer(200, '', { 'content-type': 'text/html; charset=utf-8' })],
    [{ contains: ['"a"'] }, answer(200, page)],
  ];
  for (const [says, given] of right)
    it(`holds: ${JSON.stringify(says)}`, () => {
      assert.deepEqual(differences({ ...rule, ...says }, given, base), []);
    });

  const wrong: [Partial<Rule>, Answer, RegExp][] = [
    [{}, answer(404, { detail: 'x' }), /^status/],
    [{ status: [400, 404] }, answer(500, { detail: 'x' }), /^status/],
    [{ count: 4 }, answer(200, page), /^body\.count/],
    [{ next: null }, answer(200, page), /^body\.next/],
    [{ next: '?page=3' }, answer(200, page), /^body\.next/],
    [{ previous: '' }, answer(200, page), /^body\.previous/],
    [{ slugs: ['b', 'a'] }, answer(200, page), /^body\.results/],
    [{ slugs: ['a'] }, answer(200, page), /^body\.results/],
    [{ length: 3 }, answer(200, page), /^body\.results/],
    [{ body: { x: 1 } }, answer(200, page), /^body\.x/],
    [{ status: 404, detail: 'Not found.' }, answer(404, { detail: 'Gone.' }), /^body\.detail/],
    [{ status: 404, detail: 'Not found.' }, answer(404, { detail: 'Not found.', x: 1 }), /^body\.x/],
    [{ status: 400, detail: 'Not…' }, answer(400, { detail: 'No.' }), /^body\.detail/],
    [{ status: 404 }, answer(404, 'text'), /^body/],
    [{}, answer(200, page, { 'content-type': 'text/html' }), /^content-type/],
    [{ type: 'text/html' }, answer(200, page), /^content-type/],
    [{ allow: 'GET, HEAD' }, answer(200, page, { allow: 'GET' }), /^allow/],
    [{ header: { etag: '"x"' } }, answer(200, page), /^etag/],
    [{ header: { etag: '"x"' } }, answer(200, page, { etag: '"y"' }), /^etag/],
    [{ header: { etag: null } }, answer(200, page, { etag: '"y"' }), /^etag/],
    [{ header: { link: /^(?!.*next)/ } }, answer(200, page, link), /^link/],
    [{ contains: ['"c"'] }, answer(200, page), /^raw body/],
    [{}, answer(200, page, { 'x-content-type-options': '' }), /^x-content-type-options/],
  ];
  for (const [says, given, expected] of wrong)
    it(`fails: ${JSON.stringify(says)} ${given.status} ${expected.source}`, () => {
      assert.match(differences({ ...rule, ...says }, given, base)[0] ?? 'nothing', expected);
    });

  it('is asked as it is written', () => {
    const { request } = exchangeOf({ ...rule, ask: 'POST /a b?c d', headers: { X: 'y' }, send: { z: 1 } });
    assert.deepEqual(request, {
      method: 'POST',
      path: '/a b?c d',
      headers: { 'Content-Type': 'application/json', X: 'y' },
      body: { z: 1 },
    });
  });
});
