/** Search: what is found by folded texts in blocks is what is found by each text alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { searchText } from '../../src/catalogue/filters.ts';
import { foldCaseAndAccents } from '../../src/catalogue/fold.ts';
import { allEntities, listPage, prepareSearch } from '../../src/catalogue/listing.ts';
import { anonymous, localAdmin, restrictSnapshotToVisible, type Viewer } from '../../src/catalogue/permissions.ts';
import { findItemsWithTerms, foldSearchTexts } from '../../src/catalogue/search.ts';
import { nextSnapshot, type Snapshot } from '../../src/catalogue/snapshot.ts';
import { runAtOnce } from '../../src/catalogue/steps.ts';
import { readingsOf, snapshotOf } from '../support/snapshot.ts';

const words = ['tree', 'Été', 'STRASSE', 'ete', 'a', 'Σίσυφος', 'tree house', 'ﬁsh', '\u{1F333}', '\0', 'x\0y', ''];
const term = fc.constantFrom(
  'tree',
  'ete',
  'strasse',
  'a',
  'e',
  'σισυφος',
  'fish',
  'house',
  'hou',
  '\u{1F333}',
  'zz',
  'y',
);
const dataset = fc.record({
  label: fc.constantFrom(...words),
  slug: fc.constantFrom('d', 'tree-1'),
  description: fc.constantFrom(...words),
  keywords: fc.uniqueArray(fc.constantFrom(...words), { maxLength: 2 }),
  columns: fc.constant([]),
});

/** The items that contain all terms, one by one. */
const plain = (items: readonly object[], terms: readonly string[]) =>
  items.filter((item) => {
    const text = foldCaseAndAccents(searchText.dataset(item as never));
    return terms.every((one) => text.includes(one));
  });

describe('search in blocks of folded texts', () => {
  it('finds what each text alone contains, before and after changes', () => {
    const edit = fc.record({ at: fc.nat(), remove: fc.nat(3), add: fc.array(dataset, { maxLength: 3 }) });
    const list = fc.array(dataset, { maxLength: 40 });
    const terms = fc.uniqueArray(term, { minLength: 1, maxLength: 3 });
    const repeats = fc.constantFrom(1, 20, 60);
    fc.assert(
      fc.property(list, repeats, fc.array(edit, { maxLength: 4 }), terms, (some, times, edits, wanted) => {
        const items: object[] = Array.from({ length: times }, () => some.map((item) => ({ ...item }))).flat();
        for (const step of [null, ...edits]) {
          if (step) items.splice(step.at % (items.length + 1), step.remove, ...step.add);
          assert.deepEqual(runAtOnce(findItemsWithTerms('dataset', [...items], wanted)), plain(items, wanted));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('folds one block anew for a change of one item', () => {
    const items = Array.from({ length: 5000 }, (_, i) => ({
      label: `Dataset ${i}`,
      slug: `d${i}`,
      keywords: [],
      columns: [],
    }));
    const steps = () => [...foldSearchTexts('dataset', [...items])].length;
    assert.ok(steps() > 10);
    assert.equal(steps(), 0);
    for (const at of [0, 255, 256, 2500, 4999]) {
      items.splice(at, 1, { label: 'Another', slug: 'other', keywords: [], columns: [] });
      assert.equal(steps(), 1);
      items.splice(at, 0, { label: 'One more', slug: 'more', keywords: [], columns: [] });
      assert.ok(steps() <= 2);
    }
  });
});

describe('search of a list', () => {
  const length = 300;
  const readers = ['user:ann'];
  const whole = snapshotOf({
    namespaces: { parks: { label: 'Parks' }, cellar: { label: 'Cellar', visibility: 'private', owners: ['editors'] } },
    datasets: Object.fromEntries(
      Array.from({ length }, (_, i) => [
        `${i % 7 ? 'parks' : 'cellar'}/d${i}`,
        {
          label: `${i % 2 ? 'Été' : 'Tree'} ${(i * 79) % length}`,
          ...(i % 5 === 0 && ({ visibility: 'private', readers } as const)),
          ...(i % 3 === 0 && { readers }),
        },
      ]),
    ),
    versions: Object.fromEntries(
      Array.from({ length }, (_, i) => [
        `${i % 7 ? 'parks' : 'cellar'}/d${i}@20200101000000000000`,
        { label: `Version ${i}`, draft: i % 4 === 0 },
      ]),
    ),
    users: { ann: {} },
  });
  const editor: Viewer = { username: 'bob', staff: false, groups: ['editors'] };
  const ann: Viewer = { username: 'ann', staff: false, groups: [] };
  const viewers = [localAdmin, anonymous, editor, ann];

  function assertEqualToPlain(snapshot: Snapshot, search: string) {
    for (const viewer of [...viewers, ...viewers])
      for (const kind of ['dataset', 'version'] as const)
        for (const ordering of [undefined, '-label', 'relevance']) {
          const part = restrictSnapshotToVisible(viewer, snapshot);
          const options = { ordering, pageSize: 1000 };
          const all = listPage(part, kind, options).items;
          const found = listPage(part, kind, { ...options, search });
          const wanted = all.filter((item) =>
            search.split(' ').every((one) => foldCaseAndAccents(searchText[kind](item as never)).includes(one)),
          );
          const seen = new Set<object>(allEntities(part, kind));
          assert.ok(found.items.every((item) => seen.has(item)));
          assert.equal(found.count, wanted.length);
          if (ordering !== 'relevance') assert.deepEqual(found.items, wanted);
          else assert.deepEqual(new Set(found.items), new Set(wanted));
        }
  }

  it('finds what the viewer may see and what matches, in the order of the list', () => {
    for (const search of ['tree', 'ete', 'e 1', 'nothing', 'version 2', '29']) assertEqualToPlain(whole, search);
  });

  it('finds the present texts after a change', () => {
    for (const viewer of viewers) listPage(restrictSnapshotToVisible(viewer, whole), 'dataset', { search: 'ete' });
    const readings = readingsOf({
      datasets: { 'parks/d1': { label: 'Changed' }, 'parks/new': { label: 'Changed too' } },
    });
    const next = nextSnapshot(whole, { readings, diagnostics: new Map() });
    for (const search of ['changed', 'ete']) assertEqualToPlain(next, search);
    for (const search of ['changed', 'ete']) assertEqualToPlain(whole, search);
    assert.equal(listPage(next, 'dataset', { search: 'changed' }).count, 2);
  });

  it('folds nothing after it was prepared, for any viewer', () => {
    for (const viewer of viewers) {
      const part = restrictSnapshotToVisible(viewer, whole);
      for (const _step of prepareSearch(part, 'version', { search: 'tree' }));
      assert.equal([...prepareSearch(part, 'version', { search: 'tree' })].length, 0);
    }
  });
});
