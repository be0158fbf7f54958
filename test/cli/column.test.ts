import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeRoot, seed, type } from '../support/prompt.ts';

describe('column', () => {
  it('is listed', async () => {
    const { out } = await type(['column', 'list', 'parks/trees']);
    assert.match(out, /^geometry\tgeometry\t\t\t\nname\tstring\t\t\t\nheight\tfloat\t\tm\t\n/);
    const [, , height] = JSON.parse((await type(['column', 'list', 'parks/trees', '--json'])).out);
    assert.deepEqual(height, { type: 'float', name: 'height', label: '', description: '', unit: 'm' });
    assert.match((await type(['column', 'list', 'parks/benches'], { terminal: true })).err, /No columns\./);
  });

  it('is described; what is not given stays', async () => {
    const root = await makeRoot();
    const argv = ['column', 'edit', 'parks/trees', 'height', '--label', 'Height', '--description', 'To the top'];
    const dry = await type([...argv, '--dry-run'], { root });
    assert.equal(dry.out, 'Would change column height of dataset parks/trees\n');
    const before = JSON.parse((await type([...argv, '--dry-run', '--json'], { root })).out);
    const { out, err, exitCode } = await type([...argv, '--json'], { root });
    assert.deepEqual([exitCode, err], [0, 'Changed column height of dataset parks/trees.\n']);
    assert.deepEqual(JSON.parse(out), {
      type: 'float',
      name: 'height',
      label: 'Height',
      description: 'To the top',
      unit: 'm',
    });
    assert.deepEqual(before, JSON.parse(out));
    const text = readFileSync(join(root, 'namespaces/parks/datasets/trees/dataset.yaml'), 'utf8');
    assert.equal(text.match(/- type: /g)?.length, 5);
  });

  it('is shown with its values and its versions', async () => {
    const { root } = await type(['column', 'list', 'parks/trees']);
    const { out, exitCode, err } = await type(['column', 'show', 'parks/trees', 'height'], { root });
    assert.equal(exitCode, 0, err);
    assert.match(out, /^name\theight\ntype\tfloat\n.*unit\tm\n/s);
    const shown = JSON.parse((await type(['column', 'show', 'parks/trees', 'height', '--json'], { root })).out);
    assert.deepEqual([shown.dataset, shown.name, shown.unit], ['parks/trees', 'height', 'm']);
    assert.ok('profile' in shown && Array.isArray(shown.versions));
    const missing = await type(['column', 'show', 'parks/trees', 'hieght'], { root });
    assert.deepEqual([missing.exitCode, /Did you mean height\?/.test(missing.err)], [3, true]);
  });

  it('is found by letters that look the same', async () => {
    const [composed, decomposed] = ['h\u00f6he', 'ho\u0308he'];
    const root = await makeRoot();
    const run = async (...argv: string[]) => {
      const { exitCode, out, err } = await type(argv, { root, files: { 'a.csv': `${decomposed},b\n1,2\n` } });
      assert.equal(exitCode, 0, err);
      return out;
    };
    await run('publish', 'a.csv', '--to', 'parks/a', '--label', 'A');
    await run('column', 'edit', 'parks/a', composed, '--unit', 'm');
    assert.match(await run('column', 'show', 'parks/a', composed), /^unit\tm$/m);
    const record = readFileSync(join(root, 'namespaces/parks/datasets/a/dataset.yaml'), 'utf8');
    assert.match(record, new RegExp(`name: ${decomposed}\n +unit: m\n`));
    assert.doesNotMatch(record, new RegExp(`name: ${composed}`));
    await run('column', 'rename', 'parks/a', composed, 'height');
  });

  it('that is not there is guessed', async () => {
    const { exitCode, err } = await type(['column', 'edit', 'parks/trees', 'hieght', '--unit', 'm']);
    assert.deepEqual([exitCode, err], [3, 'error: parks/trees has no column hieght. Did you mean height?\n']);
    assert.match((await type(['column', 'edit', 'parks/trees', 'x', '--unit', 'm'])).err, /See: catalogue column list/);
    assert.equal((await type(['column', 'edit', 'parks/trees', 'height'])).exitCode, 2);
  });
});

describe('check --deep', () => {
  it('finds columns that no longer fit the data, and fixes them', async () => {
    const { datasets = {} } = seed;
    const columns = [
      { type: 'string', name: 'height', unit: 'm' },
      { type: 'string', name: 'gone' },
    ];
    const root = await makeRoot({
      ...seed,
      datasets: { ...datasets, 'parks/trees': { id: 11, label: 'Trees', columns } },
    });
    assert.equal((await type(['check'], { root })).out, '', 'only with --deep');
    const { out, exitCode } = await type(['check', '--deep'], { root });
    assert.equal(exitCode, 1);
    assert.match(
      out,
      /trees\/dataset\.yaml:\d+:\d+: The columns don't fit .*"name" \(string\) is missing, .*"gone" is not in the data, "height" is float and not string\./,
    );
    const fixed = await type(['check', '--deep', '--fix'], { root });
    assert.equal(fixed.exitCode, 0, fixed.out);
    const [, , height] = JSON.parse((await type(['column', 'list', 'parks/trees', '--json'], { root })).out);
    assert.deepEqual([height.type, height.unit], ['float', 'm']);
  });
});
