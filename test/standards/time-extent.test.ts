/** The time of a table in the documents of the standards: that of its first and its last row, however they are written. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

it('goes from the first to the last row, also where some have fractions of a second', async () => {
  const workshop = await makeWorkshop();
  const tables = {
    fractions: [
      '2020-01-01T00:00:00.5Z',
      '2020-01-01T00:00:00Z',
      '2020-02-01T00:00:00Z',
      '2020-02-01T00:00:00.123456Z',
    ],
    'valid-to': ['9999-12-31T23:59:59.999999', '2020-01-01T00:00:00'],
    net: ['0001-01-01 00:00:00', '9999-12-31 23:59:59.9999999'],
    offsets: ['0000-01-01T00:00:00+05:00', '9999-12-31T23:00:00-05:00'],
    blanks: ['2020-01-01 00:00:01Z', '2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z', '2020-02-01 00:00:01Z'],
  };
  for (const [slug, times] of Object.entries(tables))
    await workshop.publish(slug, `${slug}.csv`, `at\n${times.join('\n')}\n`);
  const server = await serveFolder(workshop.root);
  after(async () => {
    await server.close();
    await workshop.remove();
  });
  const intervalOf = async (slug: string) => {
    const collection = (await (await fetch(`${server.base}/ogc/collections/lab.${slug}?f=json`)).json()) as {
      extent: { temporal: { interval: unknown[] } };
    };
    return collection.extent.temporal.interval[0];
  };
  assert.deepEqual(await intervalOf('fractions'), ['2020-01-01T00:00:00.000Z', '2020-02-01T00:00:00.123456Z']);
  assert.deepEqual(await intervalOf('valid-to'), ['2020-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999999Z']);
  assert.deepEqual(await intervalOf('net'), ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999999Z']);
  assert.deepEqual(await intervalOf('offsets'), ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']);
  assert.deepEqual(await intervalOf('blanks'), ['2020-01-01T00:00:00.000Z', '2020-02-01T00:00:01.000Z']);
});
