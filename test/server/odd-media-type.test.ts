/** A payload whose record calls it something that no header can hold. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { served } from '../support/served.ts';

it('is served as bytes', async (test) => {
  const payload = 'a\n1\n';
  const checksum = createHash('sha256').update(payload).digest('hex');
  const named = (media_type: string) => ({
    checksum,
    file: { name: 'a.csv', size: payload.length, format: 'csv', media_type },
  });
  const { base } = await served(
    {
      namespaces: { parks: { label: 'Parks' } },
      datasets: { 'parks/trees': { label: 'Trees' } },
      versions: {
        'parks/trees@v1': named('text/html\r\nX-Evil: 1'),
        'parks/trees@v2': named('text/☃'),
        'parks/trees@v3': named('text/plain; charset=utf-8'),
      },
      files: { 'namespaces/parks/datasets/trees/data/a.csv': payload },
    },
    test,
  );
  const types = { v1: 'application/octet-stream', v2: 'application/octet-stream', v3: 'text/plain; charset=utf-8' };
  for (const [slug, type] of Object.entries(types)) {
    const answer = await fetch(`${base}/api/v1/namespaces/parks/datasets/trees/version/${slug}/download/`);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type], slug);
    assert.equal(answer.headers.get('x-evil'), null);
    assert.equal(await answer.text(), payload);
  }
});
