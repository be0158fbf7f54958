/** The recorded exchanges with the accounts: tokens asked for with passwords, credentials in headers, the pages. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { judge, loadExchanges, send, singles } from './replay.ts';
import { type Fixture, serveFixture } from './serve.ts';

const groups = new Set(['token', 'auth', 'pages']);

/**
 * `Authorization: Bearer <token>` was refused by the recorded service. Ours takes it, because so many tools send it:
 * section 5 of the interface says so. With the same request and the same token, both can't be.
 */
const deliberate = new Set(['bearer']);

const exchanges = singles(loadExchanges()).filter(({ group, name }) => groups.has(group) && !deliberate.has(name));

describe('the recorded exchanges with accounts', () => {
  let server: Fixture;
  before(async () => {
    server = await serveFixture({ alice: 'wonderland-4821', bob: 'builder-7305' });
  });
  after(() => server?.close());

  it('are 32', () => assert.equal(exchanges.length, 32));

  for (const exchange of exchanges)
    it(`${exchange.group}/${exchange.name}`, async () => {
      const { request, why } = exchange;
      const differences = judge(exchange, await send(server.base, exchange, server.token), server.base);
      assert.deepEqual(differences, [], `${request.method} ${request.path}: ${why}\n${differences.join('\n')}`);
    });
});
