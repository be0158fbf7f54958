import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type } from '../support/prompt.ts';

const home = mkdtempSync(join(tmpdir(), 'catalogue-init-'));
after(() => rmSync(home, { recursive: true }));
let count = 0;

/** A folder of its own, and the words `init …` typed in it. */
function place(files: Readonly<Record<string, string>> = {}) {
  const cwd = join(home, String(count++));
  mkdirSync(cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  return { cwd, read, init: (...argv: string[]) => type(['init', ...argv], { cwd, env: { CATALOGUE_DATA: '' } }) };
}

describe('init', () => {
  it('makes a catalogue, and says what comes next', async () => {
    const { cwd, read, init } = place();
    const { out, err, exitCode } = await init('--title', 'Data: "open" & 1.10');
    assert.equal(exitCode, 0, err);
    assert.equal(out, 'catalogue-data\n');
    assert.match(err, /Made a catalogue in catalogue-data.*\n {2}catalogue namespace add parks --label/);
    assert.deepEqual(parse(read('catalogue-data/catalogue.yaml')), { title: 'Data: "open" & 1.10' });
    assert.match(read('catalogue-data/catalogue.yaml'), /^# yaml-language-server: \$schema=/);
    assert.match(read('catalogue-data/.gitignore'), /^\.catalogue\/$/m);
    assert.match(read('catalogue-data/.gitattributes'), /^namespaces\/\*\/datasets\/\*\/data\/\*\* -text -merge$/m);
    assert.match(read('catalogue-data/.gitattributes'), /^site_media\/\*\* -text$/m);
    assert.match(read('catalogue-data/.gitattributes'), /^# .*filter=lfs/m);
    const files = await openFileCatalogue(join(cwd, 'catalogue-data'));
    const { count } = await files.for().list('namespace', {});
    await files.close();
    assert.equal(count, 0);
  });

  it('has git keep the line ends of records LF, and those of payloads as they are', async () => {
    const { cwd, init } = place({ '.git/HEAD': 'ref', '.gitattributes': '*.json -diff' });
    assert.equal((await init('.')).exitCode, 0);
    rmSync(join(cwd, '.git'), { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd });
    const dataset = 'namespaces/parks/datasets/trees';
    const attributes = (path: string) =>
      execFileSync('git', ['check-attr', 'text', 'eol', '--', path], { cwd, encoding: 'utf8' }).match(/\S+(?=\n)/g);
    for (const path of ['catalogue.yaml', `${dataset}/dataset.yml`, `${dataset}/versions/1.json`, 'users/ann.yaml'])
      assert.deepEqual(attributes(path), ['set', 'lf'], path);
    // Git heeds eol where text isn't unset only.
    for (const path of [`${dataset}/data/trees.geojson`, `${dataset}/data/trees.json`])
      assert.equal(attributes(path)?.[0], 'unset', path);
  });

  it('makes it where it is told to', async () => {
    const { cwd, init } = place();
    const { err } = await init('some where');
    assert.match(err, /catalogue --data 'some where' serve/);
    assert.ok(readdirSync(join(cwd, 'some where')).includes('catalogue.yaml'));
    const named = await type(['--data', 'other', 'init'], { cwd });
    assert.equal(named.out, 'other\n');
    const env = await type(['init'], { cwd, env: { CATALOGUE_DATA: 'third' } });
    assert.equal(env.out, 'third\n');
  });

  it('takes a folder that holds nothing but dotfiles, and keeps what they say', async () => {
    const { read, init } = place({ '.git/HEAD': 'ref', '.gitignore': '*.log' });
    const { err, exitCode } = await init('.');
    assert.equal(exitCode, 0, err);
    assert.match(read('.gitignore'), /^\*\.log\n\n(#.*\n)*\.catalogue\/\n\.\*\.catalogue-tmp\*\n$/);
  });

  it('overwrites nothing', async () => {
    const existing = place({ 'catalogue-data/catalogue.yaml': 'title: Mine\n' });
    const there = await existing.init();
    assert.equal(there.exitCode, 5);
    assert.match(there.err, /There is a catalogue in catalogue-data already\./);
    assert.equal(existing.read('catalogue-data/catalogue.yaml'), 'title: Mine\n');
    assert.equal((await place({ 'catalogue-data/namespaces/a/namespace.yaml': '' }).init()).exitCode, 5);
    const full = await place({ 'thesis.tex': '' }).init('.');
    assert.equal(full.exitCode, 5);
    assert.match(full.err, /\. isn't empty \(thesis\.tex is in it\) and isn't a catalogue\./);
    assert.match((await place({ 'catalogue-data': '' }).init()).err, /catalogue-data is a file/);
  });

  it('makes nothing with --dry-run, or with a blank title', async () => {
    const { cwd, init } = place();
    assert.equal((await init('--dry-run')).out, 'Would make a catalogue in catalogue-data\n');
    const blank = await init('--title', ' ');
    assert.equal(blank.exitCode, 2);
    assert.match(blank.err, /--title: This field may not be blank/);
    assert.deepEqual(readdirSync(cwd), []);
  });
});
