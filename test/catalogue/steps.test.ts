/** Work in steps: the results are those of the same work at once, and no step is long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { listPageInSteps } from '../../src/catalogue/listing.ts';
import { anonymous, restrictSnapshotToVisible } from '../../src/catalogue/permissions.ts';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import { insertInSteps, runAtOnce, SharedSteps, type Steps, sortInSteps } from '../../src/catalogue/steps.ts';
import { snapshotOf } from '../support/snapshot.ts';

describe('sorting in steps', () => {
  const item = fc.record({ key: fc.nat(20), id: fc.nat() });
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;

  it('gives what toSorted gives, and leaves the items as they were', () => {
    const list = fc.array(item, { maxLength: 40 });
    const shapes = fc.constantFrom<'as they are' | 'sorted' | 'reversed'>('as they are', 'sorted', 'reversed');
    fc.assert(
      fc.property(list, fc.constantFrom(1, 5, 30), shapes, (some, times, shape) => {
        const items = Array.from({ length: times }, () => some.map((one) => ({ ...one }))).flat();
        if (shape !== 'as they are') items.sort(byKey);
        if (shape === 'reversed') items.reverse();
        const before = [...items];
        const sorted = runAtOnce(sortInSteps(items, byKey));
        assert.deepEqual(sorted, before.toSorted(byKey));
        assert.ok(sorted.every((one, i) => one === before.toSorted(byKey)[i]));
        assert.deepEqual(items, before);
      }),
    );
  });

  it('compares each item once where they are in order, and few times otherwise', () => {
    let compared = 0;
    const compare = (a: number, b: number) => {
      compared++;
      return a - b;
    };
    const items = Array.from({ length: 10_000 }, (_, i) => i);
    runAtOnce(sortInSteps(items, compare));
    assert.ok(compared <= items.length, `${compared}`);
    compared = 0;
    runAtOnce(sortInSteps([...items, 5, 3], compare));
    assert.ok(compared < 2.1 * items.length, `${compared}`);
  });

  it('puts a few items into a sorted list where toSorted puts them, with few comparisons', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 200 }), fc.array(item, { maxLength: 5 }), (many, some) => {
        const [items, few] = [many.toSorted(byKey), some.toSorted(byKey)];
        let compared = 0;
        const compare: typeof byKey = (a, b) => {
          compared++;
          return byKey(a, b);
        };
        const merged = runAtOnce(insertInSteps(items, few, compare));
        const expected = [...items, ...few].toSorted(byKey);
        assert.ok(merged.length === expected.length && merged.every((one, i) => one === expected[i]));
        assert.ok(compared <= 8 * few.length, `${compared}`);
      }),
    );
  });

  it('compares few items in a step', () => {
    let compared = 0;
    let most = 0;
    const items = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
    const steps = sortInSteps(items, (a, b) => {
      compared++;
      return a - b;
    });
    for (let done = false; !done; ) {
      compared = 0;
      done = steps.next().done ?? false;
      most = Math.max(most, compared);
    }
    // 128 items are sorted at once, with some 7 comparisons each.
    assert.ok(most <= 128 * 8, `${most}`);
  });
});

describe('steps that are shared', () => {
  it('are run once, whoever runs them, and give all the same', () => {
    let run = 0;
    function* count(): Steps<object> {
      for (; run < 10; run++) yield;
      return {};
    }
    const shared = new SharedSteps(count());
    const [first, second] = [shared.run(), shared.run()];
    assert.equal(shared.value, undefined);
    for (let i = 0; i < 4; i++) {
      first.next();
      second.next();
    }
    const value = runAtOnce(second);
    assert.equal(runAtOnce(first), value);
    assert.equal(runAtOnce(shared.run()), value);
    assert.equal(shared.value, value);
    assert.equal(run, 10);
  });

  it('are left to the others by one that gives up', () => {
    function* two(): Steps<number> {
      yield;
      yield;
      return 2;
    }
    const shared = new SharedSteps(two());
    const given = shared.run();
    given.next();
    given.return(0);
    assert.equal(runAtOnce(shared.run()), 2);
  });
});

describe('lists of many datasets', () => {
  const names = Array.from({ length: 3000 }, (_, i) => `d${(i * 7919) % 3001}`);
  const makeSnapshot = () =>
    snapshotOf({
      namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
      datasets: Object.fromEntries(
        names.map((name, i) => [
          `${i % 50 ? 'parks' : 'secret'}/${name}`,
          { label: `Dataset ${name}`, keywords: [`word ${i % 7}`], description: 'Trees and parks' },
        ]),
      ),
    });
  const questions = {
    'in the default order': {},
    'by another order': { ordering: '-label' },
    'of a namespace': { namespace: 'parks' },
    'with a keyword': { filters: { keyword: ['word 3'] } },
    'found by a search': { search: 'trees' },
    'found by a search, the best first, with facets': { search: 'dataset', ordering: 'relevance', facets: true },
  };

  for (const [name, question] of Object.entries(questions))
    it(`${name}: are made in many steps for everybody, and are then ready`, () => {
      const snapshot = makeSnapshot();
      const whole = listInSteps(snapshot, question);
      assert.ok(whole.steps >= names.length / 128, `${whole.steps} steps`);
      const part = listInSteps(restrictSnapshotToVisible(anonymous, snapshot), question);
      assert.ok(part.steps >= names.length / 128, `${part.steps} steps`);
      assert.ok(part.count > 0 && part.count <= whole.count);
      if (!('search' in question)) assert.ok(listInSteps(snapshot, question).steps < 5);
    });

  function listInSteps(snapshot: Snapshot, question: object) {
    const work = listPageInSteps(snapshot, 'dataset', question);
    let steps = 0;
    let result = work.next();
    for (; !result.done; result = work.next()) steps++;
    return { steps, count: result.value.count ?? 0 };
  }
});
