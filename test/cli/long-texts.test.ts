/**
 * Long texts that an expression with several ways to match would take minutes or years for. The program runs as a process
 * of its own, which can be ended.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeFolder } from '../support/folder.ts';
import { serve, start } from '../support/program.ts';

/** Milliseconds after which the program is taken for one that never ends. */
const never = 100_000;

describe('long texts', () => {
  it('of comments are not taken for HTML', async (test) => {
    const folder = makeFolder(
      { namespaces: { lab: { label: 'Lab' } }, datasets: { 'lab/notes': { label: 'Notes' } } },
      test,
    );
    const path = join(folder.root, 'notes.txt');
    writeFileSync(path, `${'<!---->'.repeat(1000)}x`);
    const child = start(['publish', path, '--to', 'lab/notes', '--data', folder.root], { cwd: folder.root });
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), never);
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    assert.equal(exitCode, 0);
  });

  it('of blanks in a record are kept by an edit', async (test) => {
    const text = `label: Notes\nkeywords: [a${' '.repeat(500_000)}]\n`;
    const path = 'namespaces/lab/datasets/notes/dataset.yaml';
    const folder = makeFolder({ namespaces: { lab: { label: 'Lab' } }, files: { [path]: text } }, test);
    const args = ['dataset', 'edit', 'lab/notes', '--keyword', 'a', '--keyword', 'b', '--data', folder.root];
    const child = start(args, { cwd: folder.root });
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), never);
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    assert.equal(exitCode, 0);
    assert.match(readFileSync(join(folder.root, path), 'utf8'), /keywords: \[a, *b *\]/);
  });

  it('in records are shown', async (test) => {
    const datasets = {
      'lab/contact': { label: 'Contact', contact: 'a'.repeat(900_000) },
      'lab/blanks': { label: 'Blanks', description: `${' '.repeat(400_000)}x` },
    };
    const folder = makeFolder({ namespaces: { lab: { label: 'Lab' } }, datasets }, test);
    const server = await serve(['--data', folder.root], { cwd: folder.root });
    test.after(() => server.end('SIGKILL'));
    for (const path of ['/data.json', '/feed.atom', '/api/v1/namespaces/lab/datasets/blanks/']) {
      const headers = { Accept: 'text/html, */*;q=0.5' };
      const response = await fetch(server.url + path, { headers, signal: AbortSignal.timeout(never) });
      assert.equal(response.status, 200, path);
      assert.ok((await response.text()).length > 0);
    }
  });
});
