/** Limits that pages in docs/ name are those of the sources. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { ownUserFields } from '../../src/catalogue/permissions.ts';
import { freeInflation, maxColumns, maxCsvRow, maxDepth, maxInflation, maxItemBytes } from '../../src/data/limits.ts';
import { largestUpload } from '../../src/server/uploads.ts';
import { readDocs } from './generated.ts';

const sourceOf = (path: string) => readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8');

/** A constant of a source, as it is written there. */
function constantIn(path: string, name: string): string {
  const [, value = ''] = new RegExp(`const ${name} = ([^;]+);`).exec(sourceOf(path)) ?? [];
  assert.notEqual(value, '', `${path}: ${name}`);
  return value;
}

/** Days of a constant such as `30 * 24 * 3600_000`. */
const daysIn = (path: string, name: string) => /^(\d+) \* 24 \* 3600_000$/.exec(constantIn(path, name))?.[1];

const sectionOf = (page: string, heading: string) =>
  (
    readDocs(page)
      .split(/^## /m)
      .find((section) => section.startsWith(`${heading}\n`)) ?? ''
  ).replace(/\s+/g, ' ');

it('docs/accounts.md says how long tokens and sessions last, and how many there are', () => {
  const text = sectionOf('accounts.md', 'Passwords and tokens');
  for (const part of [
    `ends after ${daysIn('server/tokens.ts', 'obtainedLifetime')} days`,
    `keeps ${constantIn('server/tokens.ts', 'mostObtained')} of them`,
    `lasts ${daysIn('server/tokens.ts', 'createdLifetime')} days`,
    `ends ${daysIn('files/accounts/accounts.ts', 'sessionLifetime')} days after`,
    `keeps ${constantIn('files/accounts/accounts.ts', 'maxSessions')} sessions`,
  ])
    assert.ok(text.includes(part), part);
  assert.equal(constantIn('cli/commands/token.ts', 'usual'), daysIn('server/tokens.ts', 'createdLifetime'));
});

it('docs/accounts.md names the fields that users write in their own record', () => {
  const [row = ''] = readDocs('accounts.md').match(/^\| a user who is signed in \|.*$/m) ?? [];
  const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const helping = ['username', 'current_password', 'keep_tokens'];
  assert.deepEqual(named.sort(), ownUserFields.filter((name) => !helping.includes(name)).sort());
});

it('docs/publishing.md names the limits of files', () => {
  const text = sectionOf('publishing.md', 'Limits');
  const mb = (bytes: number) => `${bytes / 1024 ** 2} MB`;
  for (const part of [
    `${maxColumns.toLocaleString('en')} columns`,
    mb(maxItemBytes),
    mb(maxCsvRow),
    `${maxDepth} levels`,
    `${maxInflation} times`,
    mb(freeInflation),
    `${largestUpload / 1024 ** 3} GB`,
  ])
    assert.ok(text.includes(part), part);
});

it('docs/several-servers.md names each state of a server that follows a remote', () => {
  const [, states = ''] = /type FollowState = ([^;]+);/.exec(sourceOf('files/git/fetched-commit.ts')) ?? [];
  const [, named = ''] = /^`state` is (.*?)^$/ms.exec(readDocs('several-servers.md')) ?? [];
  assert.ok(states.includes('starting'));
  for (const [, state = ''] of states.matchAll(/'(\w+)'/g)) assert.ok(named.includes(`\`${state}\``), state);
});
