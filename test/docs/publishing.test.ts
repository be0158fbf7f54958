/** The table in docs/publishing.md has the rows and messages that publishing its files gives. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { makeRoot, type } from '../support/prompt.ts';

const page = readFileSync(new URL('../../docs/publishing.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^\| `([^`]*)` \| (?:`([^`]*)`)? ?\| (?:`([^`]*)`|refused) \| (.*?) ?\|$/gm)];

it('docs/publishing.md says what happens to bad values', async () => {
  assert.ok(examples.length > 20);
  const root = await makeRoot();
  for (const [i, [line, file = '', option = '', rows, message = '']] of examples.entries()) {
    const isJson = file.startsWith('{');
    const name = isJson ? (file.includes('⏎') ? 'x.ndjson' : 'x.geojson') : 'x.csv';
    const files = { '-': `${file.replaceAll('⏎', '\n')}\n` };
    const to = `parks/bad-${i}`;
    const options = option.split(' ').filter(Boolean);
    const { err, exitCode } = await type(['publish', '-', '--name', name, '--to', to, ...options], { root, files });
    assert.equal(exitCode, rows === undefined ? 2 : 0, `${line}\n${err}`);
    assert.ok(err.includes(message), `${line}\n${err}`);
    if (message === '') assert.doesNotMatch(err, /^(Column|Rows)\b(?!s: )/m, `${line}\n${err}`);
    if (rows === undefined) continue;
    const { out } = await type(['data', to, '--format', 'ndjson'], { root });
    assert.equal(out.trim().replaceAll('\n', ' '), rows, line);
  }
});
