/** Hostile input of permitted writers to a replica. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { imagePath } from '../../../src/files/records/images.ts';
import { images } from '../../support/images.ts';
import { bytes, given, outcomes, sha256, write } from './replica-support.ts';

describe('hostile writers', { concurrency: 4 }, () => {
  it('very many changes that are refused leave the event loop to others', async (test) => {
    const { as } = await given(test);
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    await as('eve').apply([]);
    setImmediate(turn);
    await as('eve').apply(Array(50_000).fill({ do: 'remove', path: 'users/eve.yaml', ifMatch: '' }));
    isDone = true;
    assert.ok(turns > 20, `${turns} turns`);
  });

  // Read again for each of its faults, and looked at anew from each of its lines, such a text took a minute and hours.
  it('a long text with many faults is told of them in one go', { timeout: 60_000 }, async (test) => {
    const { as } = await given(test);
    const path = 'namespaces/parks/datasets/a/dataset.yaml';
    for (const text of [`label: A\nkeywords: [${'1,'.repeat(500_000)}1]\n`, `${'\n'.repeat(1_000_000)}a`])
      assert.match((await outcomes(as('bob'), write(path, text)))[0] ?? '', /^ValidationError/);
    // And who may write nowhere has nothing read.
    assert.match((await outcomes(as('eve'), write('queries/q.yaml', 'label: [')))[0] ?? '', /^NotPermittedError/);
  });

  it('an image that is named by its bytes has those bytes', async (test) => {
    const { as, text } = await given(test);
    const path = imagePath(images.png);
    const other = `${'x'.repeat(images.png.length)}`;
    await assert.rejects(as('bob').put(path, bytes(other)), /The name of the image is the checksum of other bytes/);
    await assert.rejects(
      as('localAdmin').put(path, bytes(other)),
      /The name of the image is the checksum of other bytes/,
    );
    const right = Buffer.from(images.png);
    await as('bob').put(path, {
      ...bytes(''),
      source: () => bytesOf(right),
      checksum: sha256(right),
      size: right.length,
    });
    assert.ok(text(path));
    await as('bob').put('site_media/images/by-hand.png', bytes(other));
  });

  it('a path that is too long for any system has no place', async (test) => {
    const { as } = await given(test);
    const long = `site_media/${'d/'.repeat(3000)}a.png`;
    await assert.rejects(as('bob').put(long, bytes('x')), { name: 'ValidationError' });
    await assert.rejects(as('bob').entry(long), { name: 'NotFoundError' });
    const record = `namespaces/parks/datasets/${'d'.repeat(5000)}/dataset.yaml`;
    assert.match((await outcomes(as('bob'), { do: 'remove', path: record, ifMatch: '' }))[0] ?? '', /^ValidationError/);
  });
});

const bytesOf = (buffer: Buffer) => Readable.from([buffer]);
