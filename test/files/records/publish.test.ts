/** Publishing: the files of a new version, and errors that leave none. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { makeWorkshop, type Workshop } from '../../support/published.ts';

const trees = 'name,height,longitude,latitude\noak,12.5,4.5,51.9\nelm,9,4.6,51.8\n';
const ref = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

describe('publishing', () => {
  let workshop: Workshop;
  beforeEach(async () => {
    workshop = await makeWorkshop();
  });
  afterEach(() => workshop.remove());

  /** Every file of the catalogue but caches and locks. */
  const files = () =>
    readdirSync(workshop.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('.catalogue'))
      .map((entry) => join(entry.parentPath, entry.name).slice(workshop.root.length + 1))
      .sort();

  it('keeps the bytes, and writes down what they hold', async () => {
    const { version, created, changes } = await workshop.publish('trees', 'Trees.CSV', trees);
    assert.equal(created, true);
    assert.deepEqual(
      changes.added.map(({ name, type }) => `${name} ${type}`),
      ['geometry geometry', 'name string', 'height float', 'longitude float', 'latitude float'],
    );
    assert.match(version.slug, /^\d{20}$/);
    assert.equal(version.label, version.slug);
    assert.equal(version.checksum, sha256(trees));
    assert.deepEqual([version.ready, version.rows, version.format, version.size], [true, 2, 'csv', trees.length]);
    assert.deepEqual(version.bbox, [4.5, 51.8, 4.6, 51.9]);
    const home = 'namespaces/lab/datasets/trees';
    assert.deepEqual(files(), [
      `${home}/data/${version.slug}.csv`,
      `${home}/dataset.yaml`,
      `${home}/versions/${version.slug}.yaml`,
      'namespaces/lab/namespace.yaml',
    ]);
    assert.equal(readFileSync(join(workshop.root, `${home}/data/${version.slug}.csv`), 'utf8'), trees);
    const summary = JSON.parse(Buffer.from(version.metadata, 'base64').toString());
    assert.equal(summary.source, 'Trees.CSV');
    assert.deepEqual(
      summary.columns.find(({ name }: { name: string }) => name === 'height'),
      {
        name: 'height',
        nulls: 0,
        distinct: 2,
        min: 9,
        max: 12.5,
      },
    );
    assert.deepEqual((await checkCatalogueFiles(workshop.root, { deep: true })).problems, []);
  });

  it('needs no columnar copy: in the place of their folder is a file', async () => {
    const tables = join(workshop.root, '.catalogue/cache/tables');
    rmSync(tables, { recursive: true, force: true });
    mkdirSync(dirname(tables), { recursive: true });
    writeFileSync(tables, '');
    const { version } = await workshop.publish('trees', 'trees.csv', trees);
    assert.deepEqual([version.ready, version.rows], [true, 2]);
    assert.equal(readFileSync(tables, 'utf8'), '');
    assert.deepEqual(
      workshop.log.filter((line) => line.includes('cache')),
      [`${tables} can't be written (ENOTDIR): the rows of the new version aren't cached.`],
    );
  });

  it('makes nothing of the bytes of the newest version', async () => {
    const first = await workshop.publish('trees', 'trees.csv', trees);
    const before = files();
    const second = await workshop.publish('trees', 'other name.csv', trees);
    assert.equal(second.created, false);
    assert.equal(second.version.slug, first.version.slug);
    assert.deepEqual(files(), before);
    await workshop.publish('trees', 'trees.csv', `${trees}ash,3,4.4,51.7\n`);
    assert.equal((await workshop.publish('trees', 'trees.csv', trees)).created, true, 'older bytes may come back');
  });

  it('makes a version of the same bytes in another format', async () => {
    const tabs = 'name\theight, m\noak\t1\n';
    const asCsv = await workshop.publish('trees', 'trees.csv', tabs);
    const asTsv = await workshop.publish('trees', 'trees.tsv', tabs);
    assert.deepEqual([asTsv.created, asTsv.version.format], [true, 'tsv']);
    assert.notEqual(asTsv.version.slug, asCsv.version.slug);
    for (const name of ['again.tsv', 'without-extension'])
      assert.equal((await workshop.publish('trees', name, tabs)).created, false, name);
  });

  it('puts the bytes of the newest version back if they are missing, or a Git LFS pointer', async () => {
    const { version } = await workshop.publish('trees', 'trees.csv', trees);
    const before = files();
    const payload = join(workshop.root, `namespaces/lab/datasets/trees/data/${version.file}`);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(trees)}\nsize ${trees.length}\n`;
    for (const damage of [() => rmSync(payload), () => writeFileSync(payload, pointer)]) {
      damage();
      const again = await workshop.publish('trees', 'trees.csv', trees);
      assert.deepEqual([again.created, again.version], [false, version]);
      assert.match(again.remarks.join(), /payload was missing/);
      assert.equal(readFileSync(payload, 'utf8'), trees);
      assert.deepEqual(files(), before);
      assert.deepEqual((await workshop.publish('trees', 'trees.csv', trees)).remarks, []);
    }
  });

  it('makes a new version of the bytes of the newest one if another file has their name', async () => {
    const first = await workshop.publish('trees', 'trees.csv', trees);
    const payload = join(workshop.root, `namespaces/lab/datasets/trees/data/${first.version.file}`);
    writeFileSync(payload, 'name\nof a person\n');
    const second = await workshop.publish('trees', 'trees.csv', trees);
    assert.deepEqual([second.created, second.version.ready], [true, true]);
    assert.equal(readFileSync(payload, 'utf8'), 'name\nof a person\n');
  });

  it('leaves a version withdrawn whose bytes come again', async () => {
    const { version } = await workshop.publish('trees', 'trees.csv', trees);
    await workshop.catalogue.edit<'version'>({ ...version, kind: 'version' }, { ready: false });
    const payload = join(workshop.root, `namespaces/lab/datasets/trees/data/${version.file}`);
    for (const damage of [() => {}, () => rmSync(payload)]) {
      damage();
      const again = await workshop.publish('trees', 'trees.csv', trees);
      assert.deepEqual([again.created, again.version.slug, again.version.ready], [false, version.slug, false]);
      assert.equal(readFileSync(payload, 'utf8'), trees);
    }
  });

  it('keeps the words that people wrote of columns', async () => {
    await workshop.publish('trees', 'trees.csv', trees);
    await workshop.catalogue.edit<'dataset'>(ref, {
      columns: [{ name: 'height', description: 'Of the crown', unit: 'm' }],
    });
    const { changes } = await workshop.publish('trees', 'trees.csv', 'name,height,planted\noak,tall,1999\n');
    const { columns } = await workshop.catalogue.get<'dataset'>(ref);
    assert.deepEqual(
      columns.map(({ name, type, description, unit }) => [name, type, description, unit]),
      [
        ['name', 'string', '', ''],
        ['height', 'string', 'Of the crown', 'm'],
        ['planted', 'integer', '', ''],
      ],
    );
    assert.deepEqual(changes.retyped, [{ name: 'height', from: 'float', to: 'string' }]);
    assert.deepEqual(
      [changes.added, changes.dropped].map((list) => list.map(({ name }) => name)),
      [['planted'], ['geometry', 'longitude', 'latitude']],
    );
  });

  it('gives later versions later names, however quick', async () => {
    const made = [];
    for (let i = 0; i < 5; i++) made.push((await workshop.publish('trees', 'trees.csv', `n\n${i}\n`)).version.slug);
    assert.deepEqual([...made].sort(), made);
    assert.equal(new Set(made).size, 5);
  });

  it('keeps what has no rows, whatever its name promises', async () => {
    const { version } = await workshop.publish('settings', 'settings.json', '{"hello": 1}');
    assert.deepEqual([version.rows, version.ready], [null, true]);
    assert.deepEqual((await checkCatalogueFiles(workshop.root, { deep: true })).problems, []);
  });

  it('serves two at once', async () => {
    await workshop.publish('trees', 'trees.csv', trees);
    await Promise.all([1, 2, 3, 4].map((i) => workshop.publish('trees', 'trees.csv', `name\n${i}\n`)));
    const { versions } = await workshop.catalogue.get<'dataset'>(ref);
    assert.equal(versions.length, 5);
    assert.ok(versions.every(({ ready }) => ready));
    assert.deepEqual((await checkCatalogueFiles(workshop.root, { deep: true })).problems, []);
  });

  const refusals: [string, () => Parameters<typeof workshop.catalogue.publish>[1], RegExp][] = [
    [
      'a payload that breaks in the middle',
      () => ({
        source: stream(
          '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{}},{"ty',
        ),
        fileName: 'x.geojson',
      }),
      /file: /,
    ],
    [
      'another checksum than was promised',
      () => ({ source: stream(trees), checksum: sha256('else'), fileName: 'x.csv' }),
      /checksum: /,
    ],
    [
      'a Git LFS pointer',
      () => ({
        source: stream(`version https://git-lfs.github.com/spec/v1\noid sha256:${sha256('x')}\nsize 5\n`),
        fileName: 'x.csv',
      }),
      /LFS pointer/,
    ],
    [
      'a stream that fails',
      () => ({
        source: Readable.from(
          (async function* () {
            yield Buffer.from(trees);
            throw new Error('cut off');
          })(),
        ),
        fileName: 'x.csv',
      }),
      /cut off/,
    ],
    [
      'one who changes their mind',
      () => ({ source: stream(trees), fileName: 'x.csv', signal: AbortSignal.abort() }),
      /abort/i,
    ],
  ];
  for (const [what, upload, message] of refusals)
    it(`leaves nothing of ${what}`, async () => {
      await workshop.publish('trees', 'trees.csv', 'n\n1\n');
      const before = files();
      await assert.rejects(workshop.catalogue.publish(ref, upload()), message);
      assert.deepEqual(files(), before);
    });

  it('takes in what has no rows, and what is packed', async () => {
    const pdf = await workshop.publish('trees', 'report.pdf', '%PDF-1.4 nothing');
    assert.deepEqual([pdf.version.rows, pdf.version.format, pdf.version.ready], [null, 'pdf', true]);
    const packed = gzipSync(trees);
    const { version } = await workshop.publish('trees', 'trees.csv.gz', packed);
    assert.deepEqual([version.rows, version.format, version.checksum], [2, 'csv', sha256(packed)]);
    assert.match(version.file, /\.csv\.gz$/);
    await assert.rejects(workshop.catalogue.publish({ ...ref, slug: 'none' }, { source: stream(trees) }), /Not found/);
  });

  it('refuses a version of what is no payload with the field that is wrong', async () => {
    await workshop.publish('trees', 'trees.csv', 'n\n1\n');
    const error = await workshop.catalogue
      .publish(ref, { source: stream('[{"a":'), fileName: 'x.json' })
      .catch((e) => e);
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(Object.keys(error.fields), ['file']);
  });
});

const stream = (text: string) => Readable.from([Buffer.from(text)]);
