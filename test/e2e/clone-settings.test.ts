/** What a clone takes over of the settings there: not how that catalogue is reached. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeFolder } from '../support/folder.ts';
import { run } from '../support/program.ts';
import { served } from '../support/served.ts';

it('a copy believes no proxy that stands before the original', async (test) => {
  const text =
    'title: Ours # and nobody else’s\nbase_url: https://data.example.org\ntrust_proxy: true\npage_size: 7\npeople: public\n';
  const { base } = await served({ namespaces: {}, files: { 'catalogue.yaml': text } }, test);
  const { root } = makeFolder({}, test);
  const { exitCode, err } = await run(['clone', base, 'copy'], { cwd: root });
  assert.equal(exitCode, 0, err);
  assert.equal(
    readFileSync(join(root, 'copy/catalogue.yaml'), 'utf8'),
    'title: Ours # and nobody else’s\npage_size: 7\npeople: public\n',
  );
});
