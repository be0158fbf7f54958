/** Each row of docs/clients.md names a test that is there and has to do with the client. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

const docs = new URL('../../docs/', import.meta.url);

it('docs/clients.md names the test of each client', () => {
  const lines = readFileSync(new URL('clients.md', docs), 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!Client |---)/.test(line));
  assert.ok(lines.length > 20);
  for (const line of lines) {
    const [, client = '', , test = ''] = line.split(' | ').length === 3 ? ['', ...line.slice(2).split(' | ')] : [];
    const [, label, path = ''] = /\[(.*)\]\((.*)\)/.exec(test) ?? [];
    assert.equal(`../test/${label}`, path, line);
    assert.ok(existsSync(new URL(path, docs)), path);
    const words = client.match(/[\w-]+/g)?.slice(0, 2) ?? [];
    const text = readFileSync(new URL(path, docs), 'utf8');
    assert.ok(
      words.some((word) => new RegExp(`(?<![\\w])${word}(?![\\w])`, 'i').test(text)),
      `${path} says nothing of ${client}`,
    );
  }
});
