/** Columns of a dataset from version to version: what people wrote of them stays. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { UploadDetails } from '../../../src/catalogue/catalogue.ts';
import { DataLossError, ValidationError } from '../../../src/catalogue/errors.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeWorkshop, type Workshop } from '../../support/published.ts';

const ref = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;

describe('columns of a dataset', () => {
  let workshop: Workshop;
  beforeEach(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('trees', 'trees.csv', 'name,height\noak,12.5\n');
    await workshop.catalogue.edit<'dataset'>(ref, { columns: [{ name: 'height', label: 'Tall', unit: 'm' }] });
  });
  afterEach(() => workshop.remove());

  const publish = (text: string, details: UploadDetails = {}, fileName = 'trees.csv') =>
    workshop.catalogue.publish(ref, { source: Readable.from([Buffer.from(text)]), fileName, ...details });
  const shown = async () => {
    const { columns, missing_columns } = await workshop.catalogue.get<'dataset'>(ref);
    const of = (list: typeof columns) => list.map(({ name, type, unit }) => `${name} ${type} ${unit}`.trim());
    return { columns: of(columns), missing: of(missing_columns) };
  };
  const recordText = () => readFileSync(join(workshop.root, 'namespaces/lab/datasets/trees/dataset.yaml'), 'utf8');
  const problems = async () => (await checkCatalogueFiles(workshop.root, { deep: true })).problems;

  it('are kept while a version lacks them, and come back', async () => {
    const { version } = await publish('name,girth\noak,3\n');
    assert.deepEqual(await shown(), { columns: ['name string', 'girth integer'], missing: ['height float m'] });
    assert.match(recordText(), new RegExp(`missing_since: "?${version.slug}`));
    assert.deepEqual(await problems(), []);
    await publish('name,height\noak,13\n');
    assert.deepEqual(await shown(), { columns: ['name string', 'height integer m'], missing: [] });
    assert.doesNotMatch(recordText(), /missing_since/);
    const [, height] = (await workshop.catalogue.get<'dataset'>(ref)).columns;
    assert.deepEqual(height, { type: 'integer', name: 'height', label: 'Tall', description: '', unit: 'm' });
  });

  it('are those of the version that becomes the newest', async () => {
    const { version } = await publish('name,girth\noak,3\n');
    const newest = { ...ref, kind: 'version', dataset: 'trees', slug: version.slug } as const;
    await workshop.catalogue.edit<'version'>(newest, { ready: false });
    assert.deepEqual(await shown(), { columns: ['name string', 'height float m'], missing: [] });
    await workshop.catalogue.edit<'version'>(newest, { ready: true });
    assert.deepEqual(await shown(), { columns: ['name string', 'girth integer'], missing: ['height float m'] });
    await workshop.catalogue.remove(newest);
    assert.deepEqual(await shown(), { columns: ['name string', 'height float m'], missing: [] });
    assert.doesNotMatch(recordText(), /missing_since|girth/);
    assert.deepEqual(await problems(), []);
  });

  it('are those of a version that is restored from the trash', async () => {
    const { version } = await publish('name,girth\noak,3\n');
    await workshop.catalogue.remove({ ...ref, kind: 'version', dataset: 'trees', slug: version.slug });
    const { trash } = workshop.catalogue;
    const [entry] = await trash.list();
    await trash.restore(entry?.id ?? '', { dryRun: true });
    assert.doesNotMatch(recordText(), /girth/);
    await trash.restore(entry?.id ?? '');
    assert.deepEqual(await shown(), { columns: ['name string', 'girth integer'], missing: ['height float m'] });
    assert.match(recordText(), /girth/);
    assert.deepEqual(await problems(), []);
  });

  it('are those of a version whose record comes as a file', async () => {
    const { version } = await publish('name,girth\noak,3\n');
    const path = `namespaces/lab/datasets/trees/versions/${version.slug}.yaml`;
    const { replica } = workshop.catalogue;
    const text = readFileSync(join(workshop.root, path), 'utf8');
    const write = async (now: string) => {
      const ifMatch = (await replica.entry(path)).checksum;
      const [outcome] = await replica.apply([{ do: 'write', path, text: now, ifMatch }]);
      assert.ok(outcome?.done, String(outcome?.done === false && outcome.error));
    };
    await write(text.replace('ready: true', 'ready: false'));
    assert.doesNotMatch(recordText(), /girth|missing_since/);
    assert.deepEqual(await problems(), []);
    await write(text);
    assert.match(recordText(), /girth/);
    const { checksum } = await replica.entry(path);
    await replica.apply([{ do: 'remove', path, ifMatch: checksum }]);
    assert.doesNotMatch(recordText(), /girth|missing_since/);
    assert.deepEqual(await problems(), []);
  });

  it('follow the newest version, whatever the record of the dataset says', async () => {
    const before = recordText();
    await publish('name,girth\noak,3\n');
    writeFileSync(join(workshop.root, 'namespaces/lab/datasets/trees/dataset.yaml'), before);
    const files = await openFileCatalogue(workshop.root);
    const { columns, missing_columns } = await files.for().get<'dataset'>(ref);
    await files.close();
    assert.deepEqual(
      [columns, missing_columns].map((list) => list.map(({ name }) => name)),
      [['name', 'girth'], ['height']],
    );
    const found = (await checkCatalogueFiles(workshop.root, {})).problems;
    assert.match(found.map(({ message }) => message).join(), /"girth" \(integer\) is missing/);
    assert.deepEqual((await checkCatalogueFiles(workshop.root, { fix: true })).problems, []);
    assert.match(recordText(), /girth/);
  });

  it('have the texts of both entries that a merge of branches may leave', async () => {
    const path = join(workshop.root, 'namespaces/lab/datasets/trees/dataset.yaml');
    writeFileSync(path, `${recordText()}  - type: float\n    name: height\n    description: To the top\n`);
    assert.match(
      (await checkCatalogueFiles(workshop.root, {})).problems.map(({ message }) => message).join(),
      /two columns named "height"/,
    );
    await publish('name,height\nelm,1.5\n');
    const { columns } = await workshop.catalogue.get<'dataset'>(ref);
    assert.deepEqual(
      columns.map(({ name, unit, description }) => [name, unit, description]),
      [
        ['name', '', ''],
        ['height', 'm', 'To the top'],
      ],
    );
    assert.deepEqual(await problems(), []);
  });

  it('of versions whose records do not tell them are those of the dataset', async () => {
    const folder = join(workshop.root, 'namespaces/lab/datasets/trees/versions');
    const [version] = (await workshop.catalogue.get<'dataset'>(ref)).versions;
    const path = join(folder, `${version?.slug}.yaml`);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^columns:\n( .*\n|- .*\n)*/m, ''));
    assert.doesNotMatch(readFileSync(path, 'utf8'), /^columns:/m);
    assert.deepEqual((await shown()).columns, ['name string', 'height float m']);
    const second = await publish('name,girth\noak,3\n', { ready: false });
    assert.doesNotMatch(readFileSync(path, 'utf8'), /^columns:/m);
    const draft = { ...ref, kind: 'version', dataset: 'trees', slug: second.version.slug } as const;
    await workshop.catalogue.edit<'version'>(draft, { ready: true });
    assert.match(
      readFileSync(path, 'utf8'),
      /^columns:\n(?:.*\n)*? *-? *name: height/m,
      'they are written down when another version follows',
    );
    await workshop.catalogue.remove({ ...ref, kind: 'version', dataset: 'trees', slug: second.version.slug });
    assert.deepEqual((await shown()).columns, ['name string', 'height float m']);
  });

  it('can be renamed, before or after the data are', async () => {
    await publish('name,Height\noak,13\n');
    assert.deepEqual((await shown()).missing, ['height float m']);
    await workshop.catalogue.edit<'dataset'>(ref, { columns: [{ name: 'Height', former_names: ['height'] }] });
    assert.deepEqual(await shown(), { columns: ['name string', 'Height integer m'], missing: [] });
    assert.match(recordText(), /former_names:\n? *- height/);
    await workshop.catalogue.edit<'dataset'>(ref, { columns: [{ name: 'tallness', former_names: ['Height'] }] });
    assert.deepEqual(
      await shown(),
      { columns: ['name string', 'Height integer m'], missing: [] },
      'the data say so still',
    );
    const { changes } = await publish('name,tallness\noak,14\n');
    assert.deepEqual([changes.added, changes.dropped], [[], []]);
    assert.deepEqual(await shown(), { columns: ['name string', 'tallness integer m'], missing: [] });
    await publish('name,height\noak,14\n');
    assert.deepEqual((await shown()).columns, ['name string', 'height integer m'], 'an old name is known for ever');
    assert.deepEqual(await problems(), []);
    const refused = (columns: unknown) => workshop.catalogue.edit<'dataset'>(ref, { columns });
    await assert.rejects(refused([{ name: 'a', former_names: ['b'] }]), /There is no column "b"/);
    await assert.rejects(refused([{ name: 'name', former_names: ['height'] }]), /has both columns/);
    await assert.rejects(refused([{ name: 'name', former_names: 'height' }]), ValidationError);
  });

  it('can be renamed with the upload', async () => {
    const renames = [{ from: 'height', to: 'Height' }];
    await assert.rejects(publish('name,girth\noak,3\n', { renames }), /The file has no column "Height"/);
    await assert.rejects(publish('name,x\noak,3\n', { renames: [{ from: 'y', to: 'x' }] }), /There is no column "y"/);
    const { changes } = await publish('name,Height\noak,13\n', { renames });
    assert.deepEqual([changes.added, changes.dropped, changes.retyped.length], [[], [], 1]);
    assert.deepEqual(await shown(), { columns: ['name string', 'Height integer m'], missing: [] });
  });

  const losses: readonly (readonly [string, string, string, 'force' | 'replace'])[] = [
    ['no rows', 'trees.csv', 'name,height\n', 'force'],
    ['no column of the version before', 'trees.csv', 'a,b\n1,2\n', 'force'],
    ['no rows that can be read', 'trees.pdf', '%PDF-1.4 nothing', 'replace'],
  ];
  for (const [what, fileName, text, override] of losses)
    it(`are not lost by a file with ${what}`, async () => {
      const refused = await publish(text, {}, fileName).catch((error) => error);
      assert.ok(refused instanceof DataLossError);
      assert.equal(refused.override, override);
      assert.equal((await workshop.catalogue.get<'dataset'>(ref)).versions.length, 1);
      await publish(text, { [override]: true }, fileName);
      assert.deepEqual(await problems(), []);
      await publish('name,height\noak,1.5\n', { force: true });
      assert.deepEqual((await shown()).columns, ['name string', 'height float m']);
    });

  it('do not change with a draft until it is ready', async () => {
    const { version } = await publish('name,girth\noak,3\n', { ready: false });
    assert.deepEqual([version.ready, version.draft], [false, true]);
    assert.deepEqual((await shown()).columns, ['name string', 'height float m']);
    assert.equal((await publish('name,girth\noak,3\n', { ready: false })).created, false);
    const draft = { ...ref, kind: 'version', dataset: 'trees', slug: version.slug } as const;
    const ready = await workshop.catalogue.edit<'version'>(draft, { ready: true });
    assert.deepEqual([ready.ready, ready.draft], [true, false]);
    assert.deepEqual((await shown()).columns, ['name string', 'girth integer']);
    await workshop.catalogue.edit<'version'>(draft, { ready: false });
    assert.equal((await workshop.catalogue.get<'version'>(draft)).draft, false, 'it was published once');
    assert.deepEqual(await problems(), []);
  });

  it('are renamed when the draft that renames them is made ready', async () => {
    const details = { ready: false, renames: [{ from: 'height', to: 'Height' }] };
    const { version } = await publish('name,Height\noak,3\n', details);
    assert.doesNotMatch(recordText(), /Height/);
    const draft = { ...ref, kind: 'version', dataset: 'trees', slug: version.slug } as const;
    await workshop.catalogue.edit<'version'>(draft, { ready: true });
    assert.deepEqual(await shown(), { columns: ['name string', 'Height integer m'], missing: [] });
    assert.match(recordText(), /former_names:\n? *- height/);
    const path = join(workshop.root, `namespaces/lab/datasets/trees/versions/${version.slug}.yaml`);
    assert.doesNotMatch(readFileSync(path, 'utf8'), /renames|draft/);
    assert.deepEqual(await problems(), []);
  });

  it('of a new dataset can be given with their types', async () => {
    const input = { label: 'Wells', namespace: 'lab' };
    const columns = [{ name: 'depth', type: 'float', unit: 'm' }];
    const refused = workshop.catalogue.create('dataset', { ...input, columns: [{ name: 'depth' }] });
    await assert.rejects(refused, (error) => error instanceof ValidationError && 'columns' in error.fields);
    await workshop.catalogue.create('dataset', { ...input, columns });
    const wells = { ...ref, slug: 'wells' } as const;
    await workshop.publish('wells', 'wells.csv', 'depth\n1.5\n');
    assert.equal((await workshop.catalogue.get<'dataset'>(wells)).columns[0]?.unit, 'm');
    rmSync(join(workshop.root, 'namespaces/lab/datasets/wells'), { recursive: true });
  });
});
