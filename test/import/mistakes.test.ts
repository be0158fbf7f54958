/** What goes wrong when people name a source: a sentence, and nothing is left behind. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => portal.answers.clear());

describe('a source that is none', () => {
  for (const [what, source, reason] of [
    ['nothing', '', /Name the source: its address/],
    ['an address without a host', 'http://', /"http:\/\/" is no complete address/],
    ['a mistyped scheme', 'htp://data.example.org', /"htp:\/\/data\.example\.org" is no address of http or https/],
    ['ftp', 'ftp://data.example.org/x', /is no address of http or https/],
    ['a missing file', 'missing.json', /There is no file or folder/],
  ] as const)
    it(`is refused: ${what}`, async () => {
      const root = await makeRoot();
      const { exitCode, err } = await type(['import', source, '--to', 'city'], { root });
      assert.notEqual(exitCode, 0);
      assert.match(err, reason);
      assert.ok(!existsSync(join(root, 'namespaces', 'city')), 'no empty namespace is left');
    });

  it('is refused: a page for people, and an empty answer', async () => {
    const root = await makeRoot();
    const importing = (path: string) =>
      type(['import', `${portal.base}${path}`, '--to', 'city', '--delay', '0'], { root });
    portal.file('/login', '<!doctype html><title>Login</title>', 'application/json');
    assert.match((await importing('/login')).err, /it is an HTML page, without a catalogue/);
    portal.file('/empty', '', 'application/json');
    assert.match((await importing('/empty')).err, /the answer is empty/);
    assert.ok(!existsSync(join(root, 'namespaces', 'city')));
  });
});

describe('a source with mistakes', () => {
  it('is read through redirects and gzip, and a second record with an identifier is listed', async () => {
    const root = await makeRoot();
    const dataset = [
      { identifier: 'a', title: 'A' },
      { identifier: 'a', title: 'A again' },
    ];
    const bytes = gzipSync(JSON.stringify({ conformsTo: 'dcat', dataset }));
    portal.answers.set('/moved', (_, response) => response.writeHead(302, { location: '/data.json' }).end());
    portal.answers.set('/data.json', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bytes),
    );
    const { out } = await type(['import', `${portal.base}/moved`, '--to', 'city', '--delay', '0', '--json'], { root });
    const { created, skipped } = JSON.parse(out);
    assert.equal(created.length, 1);
    assert.deepEqual(skipped, [{ id: 'a', reason: 'the source has another record with this identifier' }]);
  });
});
