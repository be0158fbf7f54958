/** Values that fit the schema and mean nothing: `check` warns of them, and so does the command that writes them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CheckResult } from '../../src/files/folder.ts';
import { makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';

const dataset = 'namespaces/parks/datasets/trees/dataset.yaml';
const benches = 'namespaces/parks/datasets/benches/dataset.yaml';
const content = {
  namespaces: seed.namespaces ?? {},
  files: {
    'catalogue.yaml':
      'titel: Stadt\nlizenz: frei\nlicence: CC BY 4.0\ngit:\n  comit: true\nx-own: 1\nhomepage: www.stadt.de\n',
    [dataset]: [
      'id: 11',
      'label: Trees',
      'licence: cc0-1.0 # free',
      'homepage: trees.html',
      'contact: Parks office',
      'reading: { delimeter: ";" }',
      'columns:',
      '  - name: height',
      '    type: float',
      '    lable: Height',
      'x-own: 1',
      '',
    ].join('\n'),
    [benches]:
      'id: 12\nlabel: Benches\nlicence: https://example.org/licence\nhomepage: https://example.org/\ncontact: Parks <parks@example.org>\n',
    'users/ann.yaml': 'id: 1\nemail: ann at example.org\n',
  },
};

/** Options for a command line in the folder of a catalogue. */
const within = (root: string): PromptOptions => ({ cwd: root, env: { CATALOGUE_DATA: root } });

describe('check', () => {
  it('names the key that was probably meant, also if it is there already', async () => {
    const root = await makeRoot({
      namespaces: seed.namespaces ?? {},
      files: { 'catalogue.yaml': 'title: Town\ntitel: Stadt\nx-title: Stadt\n' },
    });
    const { out, exitCode } = await type(['check'], within(root));
    const message = '"titel" means nothing here. Did you mean "title"? It is there already.';
    assert.deepEqual([out, exitCode], [`catalogue.yaml:2:1: warning: ${message}\n`, 0]);
  });

  it('warns of a version whose time does not exist', async () => {
    const version = 'namespaces/parks/datasets/trees/versions/20200101000000000000.yaml';
    const files = {
      [dataset]: 'id: 1\nlabel: Trees\n',
      [version]: 'id: 1\ndatetime: 2020-99-99T00:00:00Z\nready: false\n',
    };
    const { out } = await type(['check'], within(await makeRoot({ namespaces: seed.namespaces ?? {}, files })));
    const message = 'datetime "2020-99-99T00:00:00Z" is not a date or time that exists.';
    assert.equal(out, `${version}:2:11: warning: ${message}\n`);
  });

  it('warns of licences, addresses and keys, with line and column', async () => {
    const root = await makeRoot(content);
    const { out, exitCode } = await type(['check'], within(root));
    assert.deepEqual(out.trim().split('\n'), [
      'catalogue.yaml:1:1: warning: "titel" means nothing here. Did you mean "title"?',
      'catalogue.yaml:2:1: warning: "lizenz" means nothing here. Known keys: title, description, language, base_url, ' +
        'page_size, max_page_size, file_cache, ordering, licence, publisher, contact, homepage, trust_proxy, people, cors, git, logo, accent, footer, payloads, sources, metrics.',
      'catalogue.yaml:3:10: warning: licence "CC BY 4.0" is not an SPDX identifier. Did you mean "CC-BY-4.0"?',
      'catalogue.yaml:5:3: warning: "comit" means nothing here. Did you mean "commit"?',
      'catalogue.yaml:7:11: warning: homepage "www.stadt.de" is not a URL. Did you mean "https://www.stadt.de"?',
      `${dataset}:3:10: warning: licence "cc0-1.0" is not an SPDX identifier. Did you mean "CC0-1.0"?`,
      `${dataset}:4:11: warning: homepage "trees.html" is not a URL. Did you mean "https://trees.html"?`,
      `${dataset}:5:10: warning: contact "Parks office" is not an e-mail address or a URL.`,
      `${dataset}:6:12: warning: "delimeter" means nothing here. Did you mean "delimiter"?`,
      `${dataset}:10:5: warning: "lable" means nothing here. Did you mean "label"?`,
      'users/ann.yaml:2:8: warning: email "ann at example.org" is not an e-mail address.',
    ]);
    assert.equal(exitCode, 0);
  });

  it('tells programs the same, and fixes a licence in another case', async () => {
    const root = await makeRoot(content);
    const { out } = await type(['check', '--json'], within(root));
    const { problems } = JSON.parse(out) as CheckResult;
    const found = problems.find(({ path, pointer }) => path === dataset && pointer === '/licence');
    assert.deepEqual([found?.line, found?.column, found?.severity, found?.fixable], [3, 10, 'warning', true]);
    assert.deepEqual(
      problems.filter(({ fixable }) => fixable).map(({ pointer }) => pointer),
      ['/licence'],
    );
    const { out: fixed } = await type(['check', '--fix'], within(root));
    assert.match(fixed, /dataset\.yaml:3:10: fixed: licence "cc0-1\.0"/);
    assert.match(readFileSync(join(root, dataset), 'utf8'), /^licence: CC0-1\.0 # free$/m);
  });
});

describe('a command that writes a record', () => {
  it('refuses dates that don’t exist', async () => {
    const root = await makeRoot();
    const edit = (issued: string, modified: string) =>
      type(['dataset', 'edit', 'parks/trees', '--issued', issued, '--modified', modified], { root });
    const valid = await edit('2020-02-29', '2021-12-31T23:59:59.5Z');
    assert.deepEqual([valid.exitCode, valid.err], [0, 'Changed dataset parks/trees.\n']);
    for (const [issued, modified] of [
      ['2020-13-01', '2021-02-29'],
      ['0000-00-00', '2020-01-01T25:00:00Z'],
    ] as const) {
      const { err, exitCode } = await edit(issued, modified);
      assert.equal(exitCode, 2);
      assert.match(err, new RegExp(`issued "${issued}" is not a date or time that exists\\.`));
      assert.match(err, new RegExp(`modified "${modified}" is not a date or time that exists\\.`));
    }
  });

  it('warns of a date that doesn’t exist in a file, whose other fields may be changed', async () => {
    const files = { [dataset]: 'id: 1\nlabel: Trees\nissued: 2020-02-30\n' };
    const root = await makeRoot({ namespaces: seed.namespaces ?? {}, files });
    const { out, exitCode } = await type(['check'], within(root));
    assert.equal(out, `${dataset}:3:9: warning: issued "2020-02-30" is not a date or time that exists.\n`);
    assert.equal(exitCode, 0);
    const edit = await type(['dataset', 'edit', 'parks/trees', '--label', 'All trees'], { root });
    assert.equal(edit.exitCode, 0, edit.err);
    assert.equal(readFileSync(join(root, dataset), 'utf8'), 'id: 1\nlabel: All trees\nissued: 2020-02-30\n');
  });

  it('warns of the values that were given, and writes them', async () => {
    const root = await makeRoot();
    const edit = ['dataset', 'edit', 'parks/trees', '--licence', 'CC BY 4.0', '--homepage', 'https://example.org'];
    const { err, exitCode } = await type(edit, { root });
    assert.equal(
      err,
      'Changed dataset parks/trees.\nWarning: licence "CC BY 4.0" is not an SPDX identifier. Did you mean "CC-BY-4.0"?\n',
    );
    assert.equal(exitCode, 0);
    const add = ['dataset', 'add', 'parks/paths', '--label', 'Paths', '--licence', 'other', '--dry-run'];
    assert.match(
      (await type(add, { root })).err,
      /"other" is not an SPDX identifier \(https:\/\/spdx\.org\/licenses\/\), a URL/,
    );
    for (const [noun, name, slug] of [
      ['namespace', 'con', 'con'],
      ['dataset', 'parks/COM1', 'COM1'],
    ] as const) {
      const added = await type([noun, 'add', name, '--label', 'x'], { root });
      assert.equal(added.exitCode, 0);
      const warning = `slug "${slug}" is not allowed as a name on Windows: git can't check`;
      assert.ok(added.err.includes(`Warning: ${warning}`), added.err);
    }
    const files = { 'a.csv': 'a\n1\n' };
    const publish = ['publish', 'a.csv', '--to', 'parks/a', '--contact', 'me'];
    assert.match((await type(publish, { root, files })).err, /contact "me" is not an e-mail address or a URL\./);
  });
});
