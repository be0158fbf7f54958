/**
 * The recorded exchanges that carry credentials or change the catalogue: each scenario on a fresh copy of the fixture,
 * with a token that is alice's.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Viewer } from '../../src/catalogue/permissions.ts';
import { openFolder } from '../../src/files/file-catalogue.ts';
import { createApp } from '../../src/server/app.ts';
import { listen } from '../../src/server/listen.ts';
import { type Exchange, fixture, judge, loadExchanges, send, sequences, singles } from './replay.ts';

const token = '0123456789abcdef0123456789abcdef01234567';
const alice: Viewer = { username: 'alice', staff: true, groups: ['editors', 'readers'] };

/** Asked of the accounts, elsewhere. */
const accounts = new Set(['token', 'pages']);

/**
 * `Authorization: Bearer <token>` was refused by the recorded service. Ours takes it, because so many tools send it:
 * section 5 of the interface says so.
 */
const deliberate = new Set(['bearer']);

async function serveCopy(): Promise<{ base: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  await cp(fixture, folder, { recursive: true });
  const files = await openFolder(folder);
  await files.load();
  const checkToken = async (given: string) => (given === token ? alice : null);
  const listening = await listen(
    createApp((viewer) => files.for(viewer), { checkToken }),
    '127.0.0.1',
    0,
  );
  return {
    base: listening.url,
    async close() {
      await listening.close();
      await files.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function mustMatch(exchange: Exchange, base: string): Promise<void> {
  const differences = judge(exchange, await send(base, exchange, token), base);
  const { request, why } = exchange;
  assert.deepEqual(differences, [], `${request.method} ${request.path}: ${why}\n${differences.join('\n')}`);
}

const wanted = loadExchanges().filter(({ group, name }) => !accounts.has(group) && !deliberate.has(name));

describe('the recorded exchanges with credentials', () => {
  let server: Awaited<ReturnType<typeof serveCopy>>;
  before(async () => {
    server = await serveCopy();
  });
  after(() => server.close());

  const refused = singles(wanted).filter(({ auth, request }) => auth !== null || request.method !== 'GET');
  for (const exchange of refused) it(`${exchange.group}/${exchange.name}`, () => mustMatch(exchange, server.base));
});

describe('the recorded scenarios', () => {
  for (const [name, steps] of sequences(wanted))
    it(name, async () => {
      const server = await serveCopy();
      try {
        for (const step of steps) await mustMatch(step, server.base);
      } finally {
        await server.close();
      }
    });
});
