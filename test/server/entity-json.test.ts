/** The JSON of entities as bytes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { datasetFromRecord } from '../../src/catalogue/entities.ts';
import { anonymous } from '../../src/catalogue/permissions.ts';
import { entityBytes } from '../../src/server/entity-json.ts';

const links = { base: 'https://data.example.org', suffix: '' };
const dataset = datasetFromRecord('parks', 'trees', { label: 'Trees' });
const exported = datasetFromRecord('parks', 'benches', { label: 'Benches' });

describe('the JSON of an entity', () => {
  it('is written once, and kept in memory of its own', () => {
    const context = { links, viewer: anonymous, app: { staticExport: null } };
    const bytes = entityBytes(dataset, context);
    assert.equal(JSON.parse(bytes.toString()).label, 'Trees');
    assert.equal(entityBytes(dataset, context), bytes);
    assert.equal(bytes.buffer.byteLength, bytes.length);
    const locally = entityBytes(dataset, { ...context, links: { ...links, base: 'http://localhost' } });
    assert.match(locally.toString(), /http:\/\/localhost\//);
  });

  it('is not kept by an export', () => {
    const staticExport = { today: '2026-01-31', filteringOf: () => undefined, hasFile: () => true };
    const context = { links, viewer: anonymous, app: { staticExport } };
    const bytes = entityBytes(exported, context);
    assert.notEqual(entityBytes(exported, context), bytes);
    assert.deepEqual(entityBytes(exported, context), bytes);
  });
});
