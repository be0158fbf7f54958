/** A program that uses the API with types made of its OpenAPI document. It is compiled, then run: node program.js URL TOKEN */
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

type Dataset = components['schemas']['Dataset'];

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths, 'application/json'>({
  baseUrl,
  headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  // Filters are parameters of their own: height__gte=10.
  querySerializer: { object: { style: 'form', explode: true }, array: { style: 'form', explode: true } },
});

// Lists, page by page.
const labels: string[] = [];
for (let page = 1; ; page++) {
  const { data } = await client.GET('/api/v1/datasets/', {
    params: { query: { page, page_size: 2, ordering: 'label' } },
  });
  assert.ok(data);
  labels.push(...data.results.map(({ label }) => label));
  if (data.next === null) break;
}
assert.deepEqual(labels, ['A', 'B', 'C']);

// A record is created, and edited if nobody else has.
const created = await client.POST('/api/v1/namespaces/{namespace}/datasets/', {
  params: { path: { namespace: 'parks' } },
  body: { label: 'Trees', keywords: ['nature'] },
});
const dataset: Dataset | undefined = created.data;
assert.equal(created.response.status, 201);
assert.equal(dataset?.slug, 'trees');
const path = { namespace: 'parks', dataset: 'trees' };
const address = '/api/v1/namespaces/{namespace}/datasets/{dataset}/';
const read = await client.GET(address, { params: { path } });
const etag = read.response.headers.get('ETag') ?? '';
const edited = await client.PATCH(address, {
  params: { path, header: { 'If-Match': etag } },
  body: { contact: 'a@example.org' },
});
assert.equal(edited.data?.contact, 'a@example.org');
const late = await client.PATCH(address, { params: { path, header: { 'If-Match': etag } }, body: { label: 'Late' } });
assert.equal(late.response.status, 412);

// A payload is uploaded in a form, and its rows are filtered.
const uploaded = await client.POST('/api/v1/namespaces/{namespace}/datasets/{dataset}/version/', {
  params: { path },
  body: { notes: 'First', file: 'kind,height\noak,12\nelm,9\n' },
  bodySerializer: (fields) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      form.append(name, name === 'file' ? new File([String(value)], 'trees.csv', { type: 'text/csv' }) : String(value));
    return form;
  },
});
assert.equal(uploaded.data?.rows, 2);
const rows = await client.GET('/api/v1/namespaces/{namespace}/datasets/{dataset}/data/', {
  params: { path, query: { _format: 'objects', filters: { height__gte: 10 } } },
});
assert.deepEqual(rows.data, [{ kind: 'oak', height: 12 }]);

// Errors have a type, too.
const refused = await client.POST('/api/v1/datasets/', {
  body: { label: '', namespace: `${baseUrl}/api/v1/namespaces/parks/` },
});
assert.equal(refused.response.status, 400);
const { error } = refused;
assert.ok(error && typeof error === 'object');
const messages: readonly string[] =
  'detail' in error && typeof error.detail === 'string' ? [error.detail] : Object.values(error).flat();
assert.deepEqual(messages, ['This field may not be blank.']);

// @ts-expect-error there is no such address
await client.GET('/api/v1/nothing/');
// @ts-expect-error a label is a text
const wrong: Dataset['label'] = 1;
assert.ok(wrong);
