/** Identifiers: drawn, and derived. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { entitiesWithIds, hasId } from '../../src/catalogue/entities-by-id.ts';
import { deriveIdFromAddress, maxId, randomUnusedId } from '../../src/catalogue/ids.ts';
import { nextSnapshot } from '../../src/catalogue/snapshot.ts';
import { anyCharacter } from '../support/characters.ts';
import { snapshotOf } from '../support/snapshot.ts';

const isId = (id: number) => Number.isInteger(id) && id >= 1 && id <= maxId;

describe('drawId', () => {
  it('reaches from 1 to 31 bits', () => {
    assert.equal(
      randomUnusedId(
        () => false,
        () => 0,
      ),
      1,
    );
    assert.equal(
      randomUnusedId(
        () => false,
        () => 1 - Number.EPSILON / 2,
      ),
      maxId,
    );
  });

  it('draws again where a number is taken', () => {
    const draws = [0, 0, 0.5];
    assert.equal(
      randomUnusedId(
        (id) => id === 1,
        () => draws.shift() ?? 0,
      ),
      1 + Math.floor(maxId / 2),
    );
  });

  it('spreads: two branches don’t draw the same', () => {
    const drawn = new Set(Array.from({ length: 1000 }, () => randomUnusedId(() => false)));
    assert.ok(drawn.size > 995);
    assert.ok([...drawn].every(isId));
  });
});

describe('derivedId', () => {
  it('is the folded FNV-1a of kind and address: it never changes', () => {
    assert.equal(deriveIdFromAddress('dataset', 'parks/trees'), 1396613703);
    assert.equal(deriveIdFromAddress('namespace', 'parks'), 1035060399);
    assert.notEqual(deriveIdFromAddress('user', 'parks'), deriveIdFromAddress('group', 'parks'));
  });

  it('is an identifier whatever the address', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (address) => isId(deriveIdFromAddress('dataset', address))),
    );
  });

  it('spreads: of 20,000 addresses hardly two give the same', () => {
    const ids = new Set(Array.from({ length: 20_000 }, (_, i) => deriveIdFromAddress('dataset', `parks/dataset-${i}`)));
    assert.ok(ids.size > 19_900);
  });
});

describe('entities by their ids', () => {
  const snapshot = snapshotOf({
    namespaces: { parks: { id: 1, label: 'Parks' }, water: { id: 2, label: 'Water' } },
    datasets: { 'parks/trees': { id: 12, label: 'Trees' }, 'water/wells': { id: 13, label: 'Wells' } },
    versions: {
      'parks/trees@20200101000000000000': { id: 21, file: { name: 'a.csv' } },
      'parks/trees@20210101000000000000': { id: 22, file: { name: 'a.csv' } },
      'water/wells@20220101000000000000': { id: 22, file: { name: 'a.csv' } },
    },
  });

  it('are found by kind, all that share an id', () => {
    const slugs = (...ids: number[]) => entitiesWithIds(snapshot, 'version', new Set(ids)).map(({ slug }) => slug);
    assert.deepEqual(slugs(22, 12), ['20210101000000000000', '20220101000000000000']);
    assert.deepEqual(slugs(12), []);
    assert.deepEqual(
      entitiesWithIds(snapshot, 'dataset', new Set([12, 22])).map(({ slug }) => slug),
      ['trees'],
    );
  });

  it('are those of the folder as it is', () => {
    const folder = snapshot.folders.get('parks');
    const trees = folder?.datasets.get('trees');
    assert.ok(folder && trees && hasId(snapshot, 'version', 21));
    const versions = trees.versions.map((version) => ({ ...version, id: version.id + 100 }));
    const reading = { kind: 'dataset', namespace: 'parks', slug: 'trees', entity: { ...trees, versions } } as const;
    const next = nextSnapshot(snapshot, { readings: [reading], diagnostics: new Map() });
    const found = [21, 22, 121, 122].map((id) => [hasId(snapshot, 'version', id), hasId(next, 'version', id)]);
    assert.deepEqual(found, [
      [true, false],
      [true, true],
      [false, true],
      [false, true],
    ]);
  });

  it('or not at all', () => {
    assert.deepEqual(
      [hasId(snapshot, 'version', 21), hasId(snapshot, 'version', 12), hasId(snapshot, 'namespace', 2)],
      [true, false, true],
    );
  });
});
