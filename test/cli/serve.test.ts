import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnusableCatalogueError } from '../../src/catalogue/errors.ts';
import type { ServeOptions } from '../../src/serve.ts';
import { type } from '../support/prompt.ts';

/** A server that writes down what was asked of it. */
function recorded() {
  const asked: Omit<ServeOptions, 'log'>[] = [];
  let closed = 0;
  const serve = async ({ log, ...options }: ServeOptions) => {
    asked.push(options);
    log?.('GET /\x1b[2J');
    return { url: 'http://127.0.0.1:8000', title: 'Open\x1b data', close: async () => void closed++ };
  };
  return { serve, asked, closed: () => closed };
}

/** Where it is typed, and when it is ended: at once. */
const there = { env: { CATALOGUE_DATA: '/' }, interrupted: Promise.resolve() };

describe('serve', () => {
  it('says where it serves, and ends when it is told to', async () => {
    const { serve, asked, closed } = recorded();
    const { out, err, exitCode } = await type(['serve'], { serve, ...there });
    assert.equal(out, 'Serving Open\\u001b data at http://127.0.0.1:8000/\n');
    assert.equal(err, 'GET /\\u001b[2J\n');
    assert.equal(exitCode, 0);
    assert.equal(closed(), 1);
    assert.deepEqual(asked, [{ folder: '/', host: '127.0.0.1', port: 8000 }]);
  });

  it('takes its options', async () => {
    const { serve, asked } = recorded();
    const argv = ['--host', '::1', '--port', '0', '--base-url', 'https://data.example.org/', '--read-only'];
    await type(['serve', '--data', '/', ...argv], { serve, ...there });
    const [options] = asked;
    assert.deepEqual(options, {
      folder: '/',
      host: '::1',
      port: 0,
      baseUrl: 'https://data.example.org',
      readOnly: true,
    });
  });

  it('has the base URL percent-encoded, as headers take it', async () => {
    const { serve, asked } = recorded();
    await type(['serve', '--data', '/', '--base-url', 'https://data.example.org/ö é/'], { serve, ...there });
    assert.equal(asked[0]?.baseUrl, 'https://data.example.org/%C3%B6%20%C3%A9');
  });

  it('follows a git remote, with the secret of a webhook', async () => {
    const { serve, asked } = recorded();
    const env = { CATALOGUE_DATA: '/', CATALOGUE_WEBHOOK_SECRET: 'lantern' };
    const common = { folder: '/', host: '127.0.0.1', port: 8000, webhookSecret: 'lantern' };
    await type(['serve', '--follow-git'], { serve, ...there, env });
    await type(['serve', '--follow-git', 'upstream', '--follow-interval', '5'], { serve, ...there, env });
    assert.deepEqual(asked, [
      { ...common, followGit: true },
      { ...common, followGit: 'upstream', followInterval: 5 },
    ]);
    const { err, exitCode } = await type(['serve', '--follow-interval', '5'], { serve, ...there });
    assert.deepEqual([err, exitCode], ['error: --follow-interval is for --follow-git: add that.\n', 2]);
  });

  it('fails with one sentence', async () => {
    const serve = () => Promise.reject(new UnusableCatalogueError('Port 8000 is in use. Choose another.'));
    const { out, err, exitCode } = await type(['serve'], { serve });
    assert.deepEqual([out, err, exitCode], ['', 'error: Port 8000 is in use. Choose another.\n', 1]);
  });
});
