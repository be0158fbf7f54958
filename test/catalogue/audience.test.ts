/** Audiences agree with what viewers see. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { audienceOfRecord, isInAudience } from '../../src/catalogue/audience.ts';
import { FeedHistory } from '../../src/catalogue/feed-history.ts';
import { recordPathWithoutExtension } from '../../src/catalogue/layout.ts';
import { allEntities } from '../../src/catalogue/listing.ts';
import { anonymous, localAdmin, restrictSnapshotToVisible, type Viewer } from '../../src/catalogue/permissions.ts';
import { refOf } from '../../src/catalogue/ref.ts';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import { snapshotOf } from '../support/snapshot.ts';

const groups = fc.subarray(['editors', 'readers']);
const rights = fc.record({
  label: fc.constant('x'),
  visibility: fc.constantFrom('public' as const, 'private' as const),
  readers: fc.subarray(['editors', 'readers', 'user:ann', 'user:bob']),
});
const content = fc.record({
  settings: fc.record({ people: fc.constantFrom('public' as const, 'members' as const) }),
  namespaces: fc.dictionary(
    fc.constantFrom('a', 'b'),
    fc.tuple(rights, groups).map(([own, owners]) => ({ ...own, owners })),
  ),
  datasets: fc.dictionary(fc.constantFrom('a/x', 'a/y', 'b/x', 'c/x'), rights),
  queries: fc.dictionary(
    fc.constantFrom('p', 'q', 'r'),
    fc.record({
      label: fc.constant('x'),
      dataset: fc.constantFrom('a/x', 'b/x', 'c/x', 'a/formerly', 'a/never'),
      version: fc.constantFrom(null, 'draft', 'published', 'none'),
    }),
  ),
  alias: fc.option(fc.constantFrom('a/formerly', 'a/x', 'a/y', 'c/x')),
  namespaceAlias: fc.option(fc.constantFrom('a', 'c')),
});
const version = { label: 'x', datetime: '2024-01-31T12:00:00Z' };
const versions = Object.fromEntries(
  ['a/x', 'b/x', 'c/x'].flatMap((dataset) => [
    [`${dataset}@draft`, { ...version, ready: false, draft: true }],
    [`${dataset}@published`, version],
  ]),
);
const viewers: readonly Viewer[] = [
  anonymous,
  localAdmin,
  { username: 'ann', staff: false, groups: ['editors'] },
  { username: 'bob', staff: false, groups: ['readers'] },
  { username: 'cleo', staff: false, groups: [] },
];
const kinds = ['namespace', 'dataset', 'query'] as const;
const refsIn = (snapshot: Snapshot) =>
  kinds.flatMap((kind) => Array.from(allEntities(snapshot, kind), (entity) => refOf(entity)));

describe('an audience', () => {
  it('has exactly the viewers who see the record', () => {
    fc.assert(
      fc.property(content, ({ alias, namespaceAlias, datasets, namespaces, ...rest }) => {
        const renamed = <T extends object>(
          records: Readonly<Record<string, T>>,
          name: string,
          former: string | null,
        ) => (former && records[name] ? { ...records, [name]: { ...records[name], aliases: [former] } } : records);
        const snapshot = snapshotOf({
          ...rest,
          datasets: renamed(datasets, 'b/x', alias),
          namespaces: renamed(namespaces, 'b', namespaceAlias),
          versions,
        });
        for (const viewer of viewers) {
          const seen = new Set(
            refsIn(restrictSnapshotToVisible(viewer, snapshot)).map((ref) => recordPathWithoutExtension(ref)),
          );
          for (const ref of refsIn(snapshot)) {
            const audience = audienceOfRecord(snapshot, ref as Parameters<typeof audienceOfRecord>[1]);
            const message = `${viewer.username} ${recordPathWithoutExtension(ref)} "${audience}"`;
            assert.equal(isInAudience(audience, viewer), seen.has(recordPathWithoutExtension(ref)), message);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the history of the feed', () => {
  it('is the same after old events were dropped, from then on', () => {
    const state = fc.record({
      record: fc.constantFrom('a', 'b'),
      at: fc.integer({ min: 1, max: 20 }),
      seenBy: fc.constantFrom('*', 'editors', '', null),
      versions: fc.subarray(['1', '2']),
    });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (states, time) => {
        const sorted = [...states].sort((a, b) => a.at - b.at);
        const history = new FeedHistory(0);
        for (const one of sorted) history.add(one);
        const later = history.after(time);
        assert.equal(later.completeSince, time);
        for (const one of [history, later]) {
          const times = [...one.states()].map(({ at }) => at).filter((at) => at > 0);
          assert.equal(one.firstTime, times.length > 0 ? Math.min(...times) : null);
        }
        for (const viewer of viewers)
          for (const record of ['a', 'b']) {
            const [whole, part] = [history, later].map((one) => one.viewedBy(record, viewer));
            const recent = (at: number | null | undefined) => (at && at >= time ? at : null);
            assert.equal(recent(part?.lost), recent(whole?.lost));
            if (isInAudience(history.latest(record)?.seenBy ?? null, viewer))
              assert.equal(recent(part?.since), recent(whole?.since));
            for (const [slug, at] of part?.lostVersions ?? [])
              assert.equal(recent(at), recent(whole?.lostVersions.get(slug)));
          }
      }),
      { numRuns: 300 },
    );
  });
});
