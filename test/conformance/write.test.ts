/**
 * The recorded exchanges that carry credentials or change the catalogue: each scenario on a fresh copy of the fixture,
 * with a token that is alice's.
 */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Exchange, judge, loadExchanges, send, sequences, singles } from './replay.ts';
import { type Fixture, serveFixture } from './serve.ts';

/** Asked of the accounts, elsewhere. */
const accounts = new Set(['token', 'pages']);

/**
 * `Authorization: Bearer <token>` was refused by the recorded service. Ours takes it, because so many tools send it:
 * section 5 of the interface says so.
 */
const deliberate = new Set(['bearer']);

async function mustMatch(exchange: Exchange, { base, token }: Fixture): Promise<void> {
  const differences = judge(exchange, await send(base, exchange, token), base);
  const { request, why } = exchange;
  assert.deepEqual(differences, [], `${request.method} ${request.path}: ${why}\n${differences.join('\n')}`);
}

const wanted = loadExchanges().filter(({ group, name }) => !accounts.has(group) && !deliberate.has(name));

describe('the recorded exchanges with credentials', () => {
  let server: Fixture;
  before(async () => {
    server = await serveFixture();
  });
  after(() => server.close());

  const refused = singles(wanted).filter(({ auth, request }) => auth !== null || request.method !== 'GET');
  for (const exchange of refused) it(`${exchange.group}/${exchange.name}`, () => mustMatch(exchange, server));
});

describe('the recorded scenarios', () => {
  for (const [name, steps] of sequences(wanted))
    it(name, async () => {
      const server = await serveFixture();
      try {
        for (const step of steps) await mustMatch(step, server);
      } finally {
        await server.close();
      }
    });
});
