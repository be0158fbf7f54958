/** Lists of a large namespace, and those by keyword, which look at their own datasets only. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { foldCaseAndAccents } from '../../src/catalogue/fold.ts';
import { listPage } from '../../src/catalogue/listing.ts';
import { anonymous, restrictSnapshotToVisible } from '../../src/catalogue/permissions.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import { snapshotOf } from '../support/snapshot.ts';

const words = ['Été', 'ete', 'river', 'River', 'lake'];
const datasets = Object.fromEntries(
  Array.from({ length: 420 }, (_, n) => [
    `${n % 4 === 3 ? 'small' : 'large'}/d${n}`,
    {
      id: n + 10,
      label: `Label ${(n * 37) % 101}`,
      keywords: [words[n % 5] as string, `k${n % 7}`],
      ...(n % 9 === 0 && { visibility: 'private' as const }),
    },
  ]),
);
const namespaces = { large: { id: 1, label: 'Large' }, small: { id: 2, label: 'Small' } };
const settings = { page_size: 1000, max_page_size: 1000 };
const whole = snapshotOf({ settings, namespaces, datasets });

for (const [name, snapshot] of [
  ['all', whole],
  ['the public', restrictSnapshotToVisible(anonymous, whole)],
] as const)
  for (const ordering of [undefined, '-label', 'label,-slug'])
    it(`${name} by ${ordering ?? 'the usual order'}: a part of the list of all`, () => {
      const all = listPage(snapshot, 'dataset', { ordering }).items;
      const expect = (options: object, test: (dataset: Dataset) => boolean) => {
        const { items, count } = listPage(snapshot, 'dataset', { ordering, ...options });
        const wanted = all.filter(test);
        assert.ok(wanted.length > 0);
        assert.equal(count, wanted.length);
        assert.deepEqual(items, wanted);
      };
      const hasAny = (keywords: readonly string[]) => (dataset: Dataset) =>
        dataset.keywords.some((one) => keywords.includes(foldCaseAndAccents(one)));
      for (const slug of ['large', 'small']) expect({ namespace: slug }, ({ namespace }) => namespace === slug);
      expect({ filters: { keyword: ['ÉTÉ'] } }, hasAny(['ete']));
      expect({ filters: { keyword: ['river', 'k3', ''] } }, hasAny(['river', 'k3']));
      expect({ filters: { keyword: [''] } }, () => true);
      expect({ filters: { keyword: ['lake'], namespace: ['small'] } }, (one) => {
        return hasAny(['lake'])(one) && one.namespace === 'small';
      });
      expect({ filters: { keyword: ['k1'] }, namespace: 'large' }, (one) => {
        return hasAny(['k1'])(one) && one.namespace === 'large';
      });
      assert.deepEqual(listPage(snapshot, 'dataset', { ordering, filters: { keyword: ['nowhere'] } }).items, []);
    });
