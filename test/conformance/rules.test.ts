/** What the recorded exchanges are a sample of: each rule is asked of our server. */

import '../support/judged.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from './replay.ts';
import { bytes } from './rules/bytes.ts';
import { methods } from './rules/methods.ts';
import { negotiation } from './rules/negotiation.ts';
import { paging } from './rules/paging.ts';
import { paths } from './rules/paths.ts';
import { resources } from './rules/resources.ts';
import { differences, exchangeOf } from './rules/rule.ts';
import { searching } from './rules/searching.ts';
import { serveFixture } from './serve.ts';

describe('the rules', () => {
  let server: Awaited<ReturnType<typeof serveFixture>>;
  before(async () => {
    server = await serveFixture();
  });
  after(() => server?.close());

  for (const [subject, rules] of Object.entries({ paging, searching, negotiation, methods, paths, resources, bytes }))
    describe(subject, () => {
      for (const rule of rules) {
        const headers = Object.entries(rule.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
        const question = [rule.ask, ...headers].join(' | ').replace(/(.{150}).+/, '$1…');
        it(`${question} (${rule.why})`, async () => {
          const answer = await send(server.base, exchangeOf(rule));
          const found = differences(rule, answer, server.base);
          assert.deepEqual(found, [], found.join('\n'));
        });
      }
    });
});
