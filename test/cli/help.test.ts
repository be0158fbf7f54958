import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Verb } from '../../src/cli/command.ts';
import { nouns } from '../../src/cli/program.ts';
import { seed, type } from '../support/prompt.ts';

/** Every command there is: its words, and what its module declares. */
async function commands(): Promise<[words: string[], verb: Verb][]> {
  const all: [string[], Verb][] = [];
  for (const [noun, { load }] of Object.entries(nouns)) {
    const loaded = await load();
    if ('command' in loaded) all.push([[noun], loaded.command]);
    else for (const verb of loaded.verbs) all.push([[noun, verb.usage.split(' ')[0] ?? ''], verb]);
  }
  return all;
}

describe('help', () => {
  it('is printed by `catalogue` alone, --help, -h and help', async () => {
    const { out, exitCode, err } = await type(['--help']);
    assert.equal(exitCode, 0);
    assert.equal(err, '');
    for (const noun of Object.keys(nouns)) assert.match(out, new RegExp(`^  ${noun} `, 'm'));
    for (const argv of [[], ['-h'], ['help']]) assert.deepEqual((await type(argv)).out, out, argv.join(' '));
  });

  it('is there for every command, with a description and an example', async () => {
    const all = await commands();
    assert.ok(all.length >= 13, `${all.length} commands`);
    for (const [words, verb] of all) {
      const name = words.join(' ');
      const { out, exitCode } = await type([...words, '--help']);
      assert.equal(exitCode, 0, name);
      assert.match(out, new RegExp(`^Usage: catalogue ${name}`), name);
      assert.doesNotMatch(out, /\[object|undefined/, name);
      assert.match(verb.description, /^[A-Z].+\.$/, `${name}: its description is a sentence`);
      assert.ok(out.includes(verb.description), name);
      assert.ok(verb.examples.length > 0, `${name}: it has an example`);
      for (const example of verb.examples) {
        assert.ok(out.includes(`  ${example}\n`), `${name}: ${example}`);
        assert.ok(example.startsWith(`catalogue ${name}`), `${name}: ${example}`);
      }
      for (const option of verb.options?.() ?? [])
        assert.match(option.description, /^[A-Z].+\.$/s, `${name} ${option.flags}: its help is a sentence`);
      assert.deepEqual((await type(['help', ...words])).out, out);
    }
  });

  it('of check says that data files are read with --deep only', async () => {
    const { out } = await type(['check', '--help']);
    const text = out.replace(/\s+/g, ' ');
    assert.match(text, /It checks [^.]*\. Data files are read, and compared with their checksums, only with --deep\./);
    assert.doesNotMatch(/It checks ([^.]*)\./.exec(text)?.[1] ?? '', /checksums/);
  });

  it('gives examples that are commands', async () => {
    const files = {
      'about.md': 'About.',
      'trees.csv': 'name,height\noak,3\n',
      '-': '{"type":"FeatureCollection","features":[]}',
    };
    const users = Object.fromEntries(['alice', 'bob', 'carol'].map((name, i) => [name, { id: i + 1 }]));
    const settings = { base_url: 'https://data.example.org' };
    const peopled = { ...seed, settings, users, groups: { gardeners: { label: 'G' }, editors: { label: 'E' } } };
    const secrets = ['wonderland', 'wonderland'];
    // An editor and a browser that do nothing.
    const env = { VISUAL: 'true', BROWSER: 'true' };
    for (const [words, { examples }] of await commands()) {
      // Some make a folder, and some need somebody to answer: the end-to-end tests have both.
      if (['init', 'serve', 'clone', 'pull', 'push'].includes(words[0] ?? '')) continue;
      for (const example of examples) {
        const [, ...argv] = (example.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
        const { exitCode, err } = await type(argv, {
          seed: peopled,
          files,
          secrets,
          terminal: true,
          answer: true,
          env,
        });
        // Some add what is there already, or move it where nothing is: but all are well-formed.
        assert.ok([0, 3, 5].includes(exitCode), `${example} → ${exitCode}: ${err}`);
      }
    }
  });

  it('fits the terminal', async () => {
    const { out } = await type(['dataset', 'add', '--help'], { columns: 60 });
    const [options = ''] = out.split('\nExamples');
    for (const line of options.split('\n')) assert.ok(line.length <= 60, line);
  });

  it('prints the version', async () => {
    const { out, exitCode } = await type(['--version']);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
    assert.equal(exitCode, 0);
  });

  it('has an option for every field that may be written', async () => {
    const { writableFields } = await import('../../src/catalogue/input.ts');
    for (const kind of ['namespace', 'dataset', 'version', 'query'] as const) {
      const { out } = await type([kind, 'edit', '--help']);
      for (const field of writableFields(kind)) {
        if (field === 'columns' || field === 'parameters') continue;
        const single = /^(keywords|owners|readers)$/.test(field) ? field.slice(0, -1) : field.replaceAll('_', '-');
        const flag = field === 'reading' ? 'decimal' : single;
        assert.match(out, new RegExp(`^  --${flag} <`, 'm'));
      }
    }
  });

  it('lists the formats of files whose rows are read', async () => {
    const { payloadFormats } = await import('../../src/data/formats/detect-format.ts');
    const { readableFormats } = await import('../../src/cli/transfer/upload-options.ts');
    const page = await readFile(new URL('../../docs/publishing.md', import.meta.url), 'utf8');
    for (const { extensions } of Object.values(payloadFormats)) {
      assert.ok(readableFormats.includes(`.${extensions[0]}`), extensions[0]);
      assert.ok(page.includes(`\`.${extensions[0]}\``), extensions[0]);
    }
    for (const words of [['publish'], ['version', 'add']])
      assert.match((await type([...words, '--help'])).out.replace(/\s+/g, ' '), /Rows are read from GeoJSON/);
  });
});
