/** The recorded exchanges that read: each is asked of our server, and the answers must match. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { judge, loadExchanges, send, singles } from './replay.ts';
import { serveFixture } from './serve.ts';

const groups = new Set(
  'root collections paging search ordering detail data head options notfound slash accept'.split(' '),
);
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Those without credentials that change nothing: reads, and a few writes that are refused. */
const exchanges = singles(loadExchanges()).filter(({ auth, group }) => auth === null && groups.has(group));

describe('the recorded reads', () => {
  let server: Awaited<ReturnType<typeof serveFixture>>;
  before(async () => {
    server = await serveFixture();
  });
  after(() => server?.close());

  it('are 134, and 5 writes that are refused', () => {
    const [reads, writes] = [true, false].map((read) =>
      exchanges.filter(({ request }) => safe.has(request.method) === read),
    );
    assert.equal(reads?.length, 134);
    assert.deepEqual(
      writes?.map(({ response }) => response.status),
      [401, 404, 401, 406, 404],
    );
  });

  for (const exchange of exchanges)
    it(`${exchange.group}/${exchange.name}`, async () => {
      const { request, why } = exchange;
      const differences = judge(exchange, await send(server.base, exchange), server.base);
      assert.deepEqual(differences, [], `${request.method} ${request.path}: ${why}\n${differences.join('\n')}`);
    });
});
