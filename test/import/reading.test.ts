/** Imported files whose source says how they are read: by the options of another catalogue, or by a Data Package. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '../support/folder.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const run = async (root: string, ...argv: string[]) => {
  const result = await type(argv, { root });
  assert.equal(result.exitCode, 0, result.err);
  return result;
};
const importing = async (root: string, ...argv: string[]) =>
  JSON.parse((await run(root, 'import', ...argv, '--with-data', '--delay', '0', '--json')).out);
const rowsOf = async (root: string, ref: string) => (await run(root, 'data', ref, '--format', 'geojson')).out;

/** Files that need options, which a guess reads otherwise, by dataset. */
const files: Readonly<Record<string, readonly [text: string, ...options: string[]]>> = {
  headless: ['1,x\n2,y\n', '--no-header'],
  report: ['Report 2024\n\na,b\n1,2\n', '--skip', '2'],
  places: ['la,lo\n51.9,4.5\n', '--lat', 'la', '--lon', 'lo'],
  dates: ['d,zip\n01/02/2024,01234\n02/03/2024,1234\n', '--date-format', 'MM/DD/YYYY', '--type', 'zip=string'],
  swiss: ['N,E\n1200000,2600000\n', '--crs', 'EPSG:2056', '--lat', 'N', '--lon', 'E'],
  plain: ['a,b\n1,2\n'],
};

/** A catalogue with these datasets. */
async function makeOrigin(): Promise<string> {
  const root = await makeRoot({ namespaces: { a: { id: 1, label: 'A' } } });
  for (const [name, [text, ...options]] of Object.entries(files)) {
    const argv = ['publish', `${name}.csv`, '--to', `a/${name}`, '--label', name, ...options];
    const { exitCode, err } = await type(argv, { root, files: { [`${name}.csv`]: text } });
    assert.equal(exitCode, 0, err);
  }
  return root;
}

describe('an import of another catalogue', () => {
  it('reads files with the options of their versions there, also once these change, but keeps those that people set', async () => {
    const theirs = await makeOrigin();
    const served = await serveFolder(theirs);
    const root = await makeRoot({ settings: { title: 'Empty' } });
    try {
      const first = await importing(root, served.base, '--to', 'b');
      assert.equal(first.versions.length, Object.keys(files).length, JSON.stringify(first.links));
      for (const name of Object.keys(files))
        assert.equal(await rowsOf(root, `b/${name}`), await rowsOf(theirs, `a/${name}`), name);
      const again = await importing(root, served.base, '--to', 'b');
      assert.deepEqual([again.updated, again.kept, again.versions], [[], [], []]);

      await run(root, 'dataset', 'edit', 'b/swiss', '--no-reading');
      const textOf = async (name: string) =>
        (await fetch(new URL(`/api/v1/namespaces/a/datasets/${name}/`, served.base))).text();
      const [report, plain] = [await textOf('report'), await textOf('plain')];
      await run(theirs, 'publish', join(theirs, '../report.csv'), '--to', 'a/report', '--skip', '', '--force');
      await run(theirs, 'publish', join(theirs, '../plain.csv'), '--to', 'a/plain', '--type', 'a=string');
      await until(async () => (await textOf('report')) !== report && (await textOf('plain')) !== plain);
      const changed = await importing(root, served.base, '--to', 'b');
      const updated = changed.updated.map(({ dataset, fields }: { dataset: string; fields: string[] }) =>
        fields.includes('reading') ? dataset : '',
      );
      assert.deepEqual(updated.filter(Boolean).sort(), ['b/plain', 'b/report']);
      assert.deepEqual(changed.kept, [{ dataset: 'b/swiss', fields: ['reading'] }]);
      for (const name of ['report', 'plain'])
        assert.equal(await rowsOf(root, `b/${name}`), await rowsOf(theirs, `a/${name}`), name);
      const { catalogue } = await run(root, 'dataset', 'list');
      const { reading } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'b', slug: 'report' });
      assert.deepEqual(reading, {});
    } finally {
      await served.close();
    }
  });
});

describe('an import of a Data Package', () => {
  it('reads the files of other catalogues as these do, by their packages', async () => {
    const theirs = await makeOrigin();
    const texts = {
      'semicolons.csv': 'straße;zip;d\nAm Wall;1234;31.12.2024\n',
      'latin.csv': Buffer.from('name,n\nStraße,"1,5"\n', 'latin1'),
      'wkt.csv': 'wkt,a\nPOINT(4 52),1\n',
      'plain.csv': 'a,b\n1,2\n',
    };
    for (const name of Object.keys(texts)) {
      const ref = `a/${name.replace('.csv', '')}-2`;
      const argv = ['publish', name, '--to', ref, '--label', name];
      const { exitCode, err } = await type(argv, { root: theirs, files: texts });
      assert.equal(exitCode, 0, err);
    }
    const served = await serveFolder(theirs);
    const root = await makeRoot({ settings: { title: 'Empty' } });
    try {
      for (const name of ['headless', 'report', 'semicolons-2', 'latin-2', 'wkt-2', 'plain-2']) {
        const address = `${served.base.replace(/\/$/, '')}/api/v1/namespaces/a/datasets/${name}/datapackage.json`;
        const { versions, created } = await importing(root, address, '--to', name);
        const own = created.find(({ dataset }: { dataset: string }) => dataset.startsWith(`${name}/`));
        assert.deepEqual(
          versions.flatMap(({ remarks }: { remarks: string[] }) => remarks),
          [],
          name,
        );
        const rows = (text: string) => text.replace(/"name":"[^"]*",/, '');
        assert.equal(rows(await rowsOf(root, own.dataset)), rows(await rowsOf(theirs, `a/${name}`)), name);
      }
    } finally {
      await served.close();
    }
  });

  /** Imports a package with one file. */
  async function importPackage(text: string | Buffer, resource: { readonly [key: string]: unknown }, root?: string) {
    const folder = root ?? (await makeRoot({ settings: { title: 'Empty' } }));
    const source = join(folder, '../package');
    mkdirSync(source, { recursive: true });
    const path = String(resource.path ?? 'data.csv');
    writeFileSync(join(source, path), text);
    const resources = [{ name: 'data', path, ...resource }];
    writeFileSync(join(source, 'datapackage.json'), JSON.stringify({ name: 'p', resources }));
    const { versions, updated } = await importing(folder, source, '--to', 'p');
    const { out } = await run(folder, 'data', 'p/p', '--format', 'ndjson');
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { root: folder, rows, remarks: versions[0]?.remarks, updated };
  }
  const field = (name: string, kind: string, more = {}) => ({ name, type: kind, ...more });

  it('reads dates in the form of the schema, texts as texts, and numbers among which texts stand for missing values', async () => {
    const fields = [
      field('zip', 'string'),
      field('d', 'date', { format: '%d/%m/%Y' }),
      field('since', 'date'),
      field('n', 'number', { decimalChar: ',' }),
    ];
    const missingValues = ['', 'NA'];
    const text = 'zip;d;since;n\n1234;01/02/2024;2024-03-04;1,5\n1.10;02/02/2024;NA;NA\n';
    const { root, rows, remarks } = await importPackage(text, {
      dialect: { delimiter: ';' },
      schema: { fields, missingValues },
    });
    assert.deepEqual(rows, [
      { zip: '1234', d: '2024-02-01', since: '2024-03-04', n: 1.5 },
      { zip: '1.10', d: '2024-02-02', since: null, n: null },
    ]);
    assert.deepEqual(remarks, ['"NA" in "zip" stand for missing values, and are kept as they are.']);
    const again = await importPackage(text, {}, root);
    assert.deepEqual(again.rows[0], { zip: 1234, d: '01/02/2024', since: '2024-03-04', n: '1,5' });
    assert.equal((await importPackage(text, {}, root)).remarks, undefined);
  });

  it('reads a file that is compressed, also if its format is called by that', async () => {
    const bytes = gzipSync('a,b\n1,x\n');
    for (const format of [{}, { format: 'gz' }, { format: 'csv.gz' }, { mediatype: 'application/gzip' }]) {
      const { rows } = await importPackage(bytes, { path: 'data.csv.gz', ...format });
      assert.deepEqual(rows, [{ a: 1, b: 'x' }], JSON.stringify(format));
    }
  });

  it('says what no option does', async () => {
    const { rows, remarks } = await importPackage('# by hand\na,n,yes\nx,-99,ja\n', {
      encoding: 'klingon',
      dialect: { commentChar: '#', quoteChar: "'", headerRows: [2, 3] },
      schema: {
        fields: [
          field('a', 'date', { format: '%d %b' }),
          field('n', 'integer', { groupChar: ' ' }),
          field('yes', 'boolean', { trueValues: ['ja'] }),
        ],
        missingValues: ['-99'],
      },
    });
    assert.deepEqual(rows, [{ a: 'x', n: -99, yes: 'ja' }]);
    assert.deepEqual(remarks, [
      `Its quotes are "'"; only " are read as such.`,
      'Lines that begin with "#" are comments, and are read as rows.',
      'The encoding "klingon" is not known.',
      'The names of its columns are in several rows, of which the first is read as names.',
      '"-99" in "a", "n", "yes" stand for missing values, and are kept as they are.',
      'The form of dates in "a" is not read.',
      'The words for true and false in "yes" are read as texts.',
      'Numbers with other characters in "n" are read as texts.',
    ]);
  });

  it('takes no names of columns from a schema for a file without a header', async () => {
    const { rows, remarks } = await importPackage('note\n1,x\n', {
      dialect: { header: false, commentRows: [1] },
      schema: { fields: [field('id', 'string'), field('name', 'string')] },
    });
    assert.deepEqual(rows, [{ column_1: '1', column_2: 'x' }]);
    assert.deepEqual(remarks, ['The file has no names of columns: those of the schema (id, name) are not taken.']);
  });
});
