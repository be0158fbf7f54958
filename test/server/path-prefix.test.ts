/** A server behind a proxy that puts a path in front: every address of a response has it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, until } from '../support/folder.ts';

const prefix = '/open-data';

describe('a path before all addresses', () => {
  it('may have letters beyond Latin-1: headers have it percent-encoded', async (t) => {
    const { ask } = await serveAccounts(t, { base_url: 'https://host.example/данные' });
    for (const path of ['/api/v1/', '/api/v1/datasets/', '/api/v1/namespaces/parks/']) {
      const { status, headers } = await ask(path);
      assert.equal(status, 200, path);
      assert.match(headers.get('link') ?? '/', /^[\x20-\x7e]*$/, path);
    }
    const { body } = await ask('/api/v1/namespaces/parks/');
    assert.equal(body.url, 'https://host.example/%D0%B4%D0%B0%D0%BD%D0%BD%D1%8B%D0%B5/api/v1/namespaces/parks/');
  });

  it('is in redirects, in images and in links', async (t) => {
    const { ask, send, base, folder, accounts } = await serveAccounts(t, { base_url: `https://host.example${prefix}` });
    folder.write(
      `${homeOf('parks/trees')}/dataset.yaml`,
      'id: 5\nlabel: Trees\nimage: /site_media/oak.png\nthumbnail_image: https://example.org/a.png\naliases: [wood]\n',
    );
    const trees = '/api/v1/namespaces/parks/datasets/trees/';
    const { body } = await until(async () => {
      const answer = await ask(trees);
      return answer.status === 200 && answer;
    });
    assert.equal(body.image, `${prefix}/site_media/oak.png`);
    assert.equal(body.thumbnail_image, 'https://example.org/a.png');
    assert.equal(body.showcase_image, '');
    assert.equal(body.url, `https://host.example${prefix}${trees}`);
    const redirects: Record<string, string> = {
      '/api/v1/datasets?page=1': '/api/v1/datasets/?page=1',
      [trees.slice(0, -1)]: trees,
      '/auth/logout/': '/api/v1/',
      '/': '/api/v1/',
      '/api/v1/namespaces/parks/datasets/wood/data/?_limit=1': `${trees}data/?_limit=1`,
    };
    for (const [from, to] of Object.entries(redirects)) {
      const { status, headers } = await ask(from, { headers: { Accept: 'application/json' } });
      assert.ok(status >= 301 && status <= 308, from);
      assert.equal(headers.get('location'), prefix + to, from);
    }
    const page = await ask(`${trees}?format=api`);
    assert.match(page.text, /<a href="\/open-data\/site_media\/oak\.png">/);

    // What a client was shown, it may send back; the record has the path alone.
    const { token } = await accounts.addToken('alice');
    assert.equal((await send('PATCH', trees, { image: body.image, label: 'Oaks' }, token)).status, 200);
    assert.equal((await ask(trees)).body.image, `${prefix}/site_media/oak.png`);
    const remote = await openRemoteCatalogue(base, { token });
    t.after(() => remote.close());
    const found = await remote.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'trees' });
    assert.equal(found.image, '/site_media/oak.png');
  });
});
