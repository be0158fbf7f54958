/** Rows come from the bytes of a version's own file, whatever checksum its record claims. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { NotFoundError } from '../../src/catalogue/errors.ts';
import type { VersionRef } from '../../src/catalogue/ref.ts';
import type { Version } from '../../src/catalogue/types.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { isSettled } from '../../src/files/payload-checksums.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';

const secret = 'name,height\noak,12.5\nelm,9\n';
const other = 'name,height\nfir,11.5\nash,8\n';

describe('rows of a version', () => {
  let workshop: Workshop;
  let published: Version;
  beforeEach(async () => {
    workshop = await makeWorkshop();
    ({ version: published } = await workshop.publish('trees', 'trees.csv', secret));
  });
  afterEach(() => workshop.remove());

  const home = (dataset: string) => join(workshop.root, 'namespaces/lab/datasets', dataset);
  const refOf = (dataset: string, slug: string): VersionRef => ({ kind: 'version', namespace: 'lab', dataset, slug });

  /** Puts a file, and the record of a version that claims the checksum of the published one. */
  function claim(dataset: string, text: string): VersionRef {
    for (const name of ['data', 'versions']) mkdirSync(join(home(dataset), name), { recursive: true });
    if (dataset !== 'trees') writeFileSync(join(home(dataset), 'dataset.yaml'), 'label: Other\n');
    writeFileSync(join(home(dataset), 'data/x.csv'), text);
    writeFileSync(
      join(home(dataset), 'versions/9.yaml'),
      `label: "9"\ndatetime: 2030-01-01T00:00:00Z\nchecksum: ${published.checksum}\nfile: { name: x.csv, format: csv }\n`,
    );
    return refOf(dataset, '9');
  }

  /** The rows as CSV, from a catalogue that is opened for them, as another process would. */
  async function rowsOf(ref: VersionRef): Promise<string> {
    const files = await openFileCatalogue(workshop.root);
    try {
      const rows = await files.for().rows(ref, { parameters: [], format: 'csv' });
      return (await buffer(rows.stream())).toString().replaceAll('\r', '');
    } finally {
      await files.close();
    }
  }

  const refusal = (error: unknown) =>
    error instanceof NotFoundError && /The payload is not the one that was published/.test(error.message);

  it('are not those of another dataset with the checksum that its record claims', async () => {
    const ref = claim('own', 'name,height\nfir,1\n');
    const files = await openFileCatalogue(workshop.root);
    try {
      const catalogue = files.for();
      for (let i = 0; i < 2; i++) {
        await assert.rejects(catalogue.rows(ref, { parameters: [] }), refusal);
        await assert.rejects(catalogue.map(ref, { parameters: [] }), refusal);
        await assert.rejects(catalogue.profile(ref), refusal);
        await assert.rejects(catalogue.difference(refOf('trees', published.slug), ref), refusal);
        // The columnar copy is open from here on.
        await catalogue.rows(refOf('trees', published.slug), { parameters: [] });
      }
    } finally {
      await files.close();
    }
  });

  it('are not those of a record that was copied for a new file of the same size', async () => {
    assert.equal(secret.length, other.length);
    await assert.rejects(rowsOf(claim('trees', other)), refusal);
    rmSync(join(workshop.root, '.catalogue/cache'), { recursive: true });
    await assert.rejects(rowsOf(refOf('trees', '9')), refusal);
  });

  it('are those of a copy of the file, and of a file that is put back', async () => {
    const ref = claim('own', secret);
    assert.equal(await rowsOf(ref), secret);
    writeFileSync(join(home('own'), 'data/x.csv'), other);
    await assert.rejects(rowsOf(ref), refusal);
    writeFileSync(join(home('own'), 'data/x.csv'), secret);
    assert.equal(await rowsOf(ref), secret);
  });

  it('are known again by the stamp of the file, without reading it', async () => {
    const ref = refOf('trees', published.slug);
    await workshop.files.close();
    const note = join(workshop.root, '.catalogue/cache/tables', published.checksum, 'payloads.txt');
    const afterPublishing = readFileSync(note, 'utf8');
    assert.match(afterPublishing, /^\d+ 27 \S+ \S+\n$/);
    // Of a file that was changed just now, no checksum is noted: a second change could leave the same stamp.
    const [payload = ''] = readdirSync(join(home('trees'), 'data'));
    while (!isSettled(statSync(join(home('trees'), 'data', payload)))) await setTimeout(5);
    await rowsOf(ref);
    assert.equal(readFileSync(note, 'utf8'), afterPublishing, 'read again');
    // A copy that is made anew has read the file, too.
    rmSync(join(workshop.root, '.catalogue/cache'), { recursive: true });
    await rowsOf(ref);
    assert.equal(readFileSync(note, 'utf8'), afterPublishing);
    writeFileSync(note, 'damaged');
    await rowsOf(ref);
    assert.equal(readFileSync(note, 'utf8'), `damaged\n${afterPublishing}`);
  });
});
