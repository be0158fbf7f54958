/** The journal of the feed of changes: programs that ask what changed have, after any edits, what they may see. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { ChangedRecord } from '../../src/catalogue/feed.ts';
import { recordPathWithoutExtension } from '../../src/catalogue/layout.ts';
import { allEntities } from '../../src/catalogue/listing.ts';
import { localAdmin, restrictSnapshotToVisible, type Viewer } from '../../src/catalogue/permissions.ts';
import { refOf } from '../../src/catalogue/ref.ts';
import { listChangesSince, listFeedRefs } from '../../src/files/changes-feed.ts';
import { FeedJournal, type FeedJournalOptions } from '../../src/files/feed-journal.ts';
import { runStepsWithoutPause } from '../../src/files/reading/event-loop.ts';
import { UnitStore } from '../../src/files/reading/unit-store.ts';
import { CatalogueFolder, type FolderContent, homeOf, makeFolder, removeFolder } from '../support/folder.ts';
import { filesIn } from '../support/prompt.ts';
import { type Edit, edits, Hands } from '../sync/edits.ts';

const home = mkdtempSync(join(tmpdir(), 'catalogue-feed-'));
after(() => removeFolder(home));
const journalOf = (root: string) => join(root, '.catalogue/changes.ndjson');

/** A catalogue that is read again when the test says so, and its journal. */
async function openFeed(root: string, options: FeedJournalOptions = {}) {
  const store = new UnitStore(root);
  const rescan = () => runStepsWithoutPause(store.rescan([{ folder: '' }]));
  rescan();
  const journal = await FeedJournal.open(store, options);
  const viewerNamed = (name: string | null): Viewer => {
    const { staff = false, groups: named = [] } = store.snapshot.users.get(name ?? '') ?? {};
    const groups = named.filter((group) => store.snapshot.groups.has(group));
    return name === 'admin'
      ? localAdmin
      : { username: store.snapshot.users.has(name ?? '') ? name : null, staff, groups };
  };
  return {
    store,
    journal,
    rescan,
    visible: (name: string | null) => restrictSnapshotToVisible(viewerNamed(name), store.snapshot),
    async changes(name: string | null, since?: string) {
      await journal.written();
      const sources = {
        store,
        history: journal.history,
        viewer: viewerNamed(name),
        visible: restrictSnapshotToVisible(viewerNamed(name), store.snapshot),
      };
      const first = await listChangesSince(sources, { since, pageSize: 3 });
      const items: ChangedRecord[] = [...first.items];
      for (let next = first.nextCursor; next; ) {
        const page = await listChangesSince(sources, { since, cursor: next, pageSize: 3 });
        items.push(...page.items);
        next = page.nextCursor;
      }
      return { items, until: first.until ?? '', completeSince: first.completeSince ?? '' };
    },
  };
}
type Feed = Awaited<ReturnType<typeof openFeed>>;

/** Paths of all records that a viewer sees, with those of published versions. */
function addressesFor(feed: Feed, name: string | null): ReadonlySet<string> {
  const visible = feed.visible(name);
  const addresses = new Set(Array.from(listFeedRefs(visible), recordPathWithoutExtension));
  for (const { datasets } of visible.folders.values())
    for (const { versions } of datasets.values())
      for (const version of versions) addresses.add(recordPathWithoutExtension(version));
  return addresses;
}

/** The records that a viewer sees, as text, by path. */
function contentsFor(feed: Feed, name: string | null): ReadonlyMap<string, string> {
  const visible = feed.visible(name);
  const entities = (['namespace', 'dataset', 'query'] as const).flatMap((kind) => [...allEntities(visible, kind)]);
  return new Map(entities.map((entity) => [recordPathWithoutExtension(refOf(entity)), JSON.stringify(entity)]));
}

/** A program that keeps the addresses that it may see, by the feed alone. */
class Harvester {
  readonly name: string | null;
  #since: string | undefined;
  readonly addresses = new Set<string>();
  readonly contents = new Map<string, string>();
  /** All that was ever visible. */
  readonly seen = new Set<string>();

  constructor(name: string | null) {
    this.name = name;
  }

  async poll(feed: Feed): Promise<void> {
    let changes = await feed.changes(this.name, this.#since);
    if (this.#since !== undefined && this.#since < changes.completeSince) {
      this.addresses.clear();
      this.contents.clear();
      changes = await feed.changes(this.name);
    }
    this.#since = changes.until;
    const present = addressesFor(feed, this.name);
    for (const { ref, removed } of changes.items) {
      const address = recordPathWithoutExtension(ref);
      const versions = ref.kind === 'dataset' ? address.replace(/dataset$/, 'versions/') : undefined;
      if (removed) {
        assert.ok(!present.has(address), `${address} is visible to ${this.name}`);
        assert.ok(this.seen.has(address), `${address} was never visible to ${this.name}`);
        this.addresses.delete(address);
        for (const one of this.addresses) if (versions && one.startsWith(versions)) this.addresses.delete(one);
      } else {
        this.addresses.add(address);
        this.contents.set(address, contentsFor(feed, this.name).get(address) ?? '');
        // It asks for the dataset, and adds the versions that it finds.
        for (const one of present) if (versions && one.startsWith(versions)) this.addresses.add(one);
      }
    }
  }
}

it('notices many changes in slices, each of them before what was noticed is written', async () => {
  const slugs = Array.from({ length: 250 }, (_, i) => `d${i}`);
  const folder = makeFolder({
    namespaces: { many: { id: 1, label: 'Many' } },
    datasets: Object.fromEntries(slugs.map((slug, i) => [`many/${slug}`, { id: i + 1, label: slug }])),
  });
  const feed = await openFeed(folder.root);
  await feed.journal.written();
  for (const slug of slugs.slice(0, 200))
    rmSync(join(folder.root, 'namespaces/many/datasets', slug), { recursive: true });
  feed.rescan();
  await feed.journal.written();
  const isSeen = (slug: string) =>
    feed.journal.history.latest(`namespaces/many/datasets/${slug}/dataset`)?.seenBy !== null;
  assert.deepEqual(slugs.filter(isSeen), slugs.slice(200));
  const removals = readFileSync(journalOf(folder.root), 'utf8').match(/"seenBy":null/g);
  assert.equal(removals?.length, 200);
});

it('combines rights and audiences of one moment only, also when many records change', async () => {
  const slugs = Array.from({ length: 150 }, (_, i) => `d${i}`);
  const folder = makeFolder({
    namespaces: { many: { id: 1, label: 'Many', visibility: 'private', readers: ['g'] } },
    datasets: Object.fromEntries(slugs.map((slug, i) => [`many/${slug}`, { id: i + 1, label: slug }])),
    groups: { g: { id: 1, label: 'G' } },
    users: { eve: { id: 1, groups: [] } },
  });
  const feed = await openFeed(folder.root);
  await feed.journal.written();
  // Eve joins the group in the moment in which it may no longer read the namespace.
  folder.write('namespaces/many/namespace.yaml', 'id: 1\nlabel: Many\nvisibility: private\n');
  folder.write('users/eve.yaml', 'id: 1\ngroups: [g]\n');
  feed.rescan();
  for (const start = Date.now(); Date.now() < start + 3; );
  folder.write('users/eve.yaml', 'id: 1\nname: Eve\ngroups: [g]\n');
  feed.rescan();
  await feed.journal.written();
  const isLost = (slug: string) =>
    feed.journal.history.viewedBy(`namespaces/many/datasets/${slug}/dataset`, 1).lost !== null;
  assert.deepEqual(slugs.filter(isLost), []);
});

const content: FolderContent = {
  namespaces: {
    kept: { id: 1, label: 'Kept', owners: ['gardeners'] },
    a: { id: 2, label: 'A', owners: ['gardeners'] },
    b: { id: 3, label: 'B', visibility: 'private', readers: ['readers'] },
  },
  datasets: {
    'kept/kept': { id: 1, label: 'Kept' },
    'a/one': { id: 2, label: 'One', visibility: 'private', readers: ['user:eve'] },
    'a/two': { id: 3, label: 'Two' },
    'b/three': { id: 4, label: 'Three' },
  },
  versions: { 'a/two@one': { id: 1 }, 'a/two@two': { id: 2 }, 'b/three@one': { id: 3 } },
  groups: { gardeners: { id: 1, label: 'G' }, readers: { id: 2, label: 'R' } },
  users: { bob: { id: 2, groups: ['gardeners'] }, eve: { id: 3, groups: [] }, pat: { id: 4, staff: true, groups: [] } },
  queries: { q: { id: 1, label: 'Q', dataset: 'kept/kept' }, one: { id: 2, label: 'O', dataset: 'a/one' } },
};

type Step =
  | { readonly do: 'edit'; readonly edit: Edit }
  | { readonly do: 'rights'; readonly which: number; readonly value: number }
  | { readonly do: 'poll'; readonly wait: number }
  | { readonly do: 'restart'; readonly missed: readonly Edit[] };

// The clock of the test is ahead of that of the files, by which changes of known records are found after a start.
const missed = edits(3).map((list) => list.filter(({ kind }) => !/^edit|^rewrite|remove user/.test(kind)));
// A user who is removed can't ask any more.
const oneEdit = edits(1).filter(([edit]) => edit !== undefined && edit.kind !== 'remove user');

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: oneEdit.map(([edit]): Step => ({ do: 'edit', edit: edit as Edit })),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('rights' as const), which: fc.nat(50), value: fc.nat(50) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('poll' as const), wait: fc.constantFrom(0, 1, 900, 2000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), missed }) },
  ),
  { maxLength: 25 },
);

const rights: Readonly<Record<'users' | 'records', readonly string[]>> = {
  users: ['groups: []', 'groups: [gardeners]', 'groups: [readers]', 'staff: true'],
  records: ['visibility: private', 'visibility: public', 'readers: [readers]', 'readers: ["user:bob"]'],
};

/** Changes the rights to a record, or those of a user. */
function changeRights(root: string, which: number, value: number): void {
  const paths = filesIn(root).filter((path) => /^(users|namespaces)\/.*(?<!versions\/[^/]*)\.yaml$/.test(path));
  const path = paths[which % paths.length];
  if (path === undefined) return;
  const choices = rights[path.startsWith('users') ? 'users' : 'records'];
  const line = choices[value % choices.length] ?? '';
  const field = new RegExp(`^${line.split(':')[0]}:.*\\n(?: +.*\\n|- .*\\n)*`, 'm');
  writeFileSync(join(root, path), `${readFileSync(join(root, path), 'utf8').replace(field, '')}${line}\n`);
}

describe('the journal of the feed', () => {
  it('lets each viewer keep what the viewer may see, and reveals nothing else', async (test) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
    test.after(() => mock.timers.reset());
    let count = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(5, 1000), async (list, maxEvents) => {
        const { root } = new CatalogueFolder(join(home, String(count++)), content);
        const hands = new Hands(root, 'mine', () => true);
        const harvesters = [null, 'bob', 'eve', 'pat', 'admin'].map((name) => new Harvester(name));
        let feed = await openFeed(root, { maxEvents });
        const look = () => {
          feed.rescan();
          for (const harvester of harvesters)
            for (const address of addressesFor(feed, harvester.name)) harvester.seen.add(address);
        };
        look();
        for (const step of [...list, { do: 'poll', wait: 2000 } as const]) {
          mock.timers.tick(3);
          if (step.do === 'edit') hands.do(step.edit);
          else if (step.do === 'rights') changeRights(root, step.which, step.value);
          else if (step.do === 'restart') {
            await feed.journal.written();
            for (const edit of step.missed) hands.do(edit);
            feed = await openFeed(root, { maxEvents });
          }
          look();
          if (step.do !== 'poll') continue;
          mock.timers.tick(step.wait);
          for (const harvester of harvesters) {
            await harvester.poll(feed);
            if (step.wait < 1100) continue;
            const present = addressesFor(feed, harvester.name);
            assert.deepEqual([...harvester.addresses].sort(), [...present].sort(), `${harvester.name}`);
            for (const [address, text] of contentsFor(feed, harvester.name))
              assert.equal(harvester.contents.get(address), text);
          }
        }
        await feed.journal.written();
        assert.ok(feed.journal.history.eventCount <= Math.max(5, maxEvents) + 40);
        rmSync(root, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  /** What the feed tells of removals to somebody. */
  const removedFor = async (feed: Feed, name: string | null) =>
    (await feed.changes(name, '2000-01-01')).items
      .filter(({ removed }) => removed)
      .map(({ ref }) => recordPathWithoutExtension(ref));

  const start = async (test: TestContext, options: FeedJournalOptions = {}) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
    test.after(() => mock.timers.reset());
    const folder = makeFolder(content, test);
    const feed = await openFeed(folder.root, options);
    mock.timers.tick(5000);
    return { folder, feed };
  };
  const two = `${homeOf('a/two')}/dataset`;

  it('has what is lost and seen again when the file of a group goes and comes back', async (test) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
    test.after(() => mock.timers.reset());
    const secret = { label: 'Secret', visibility: 'private', readers: ['keepers'] };
    const folder = makeFolder(
      {
        namespaces: { secret },
        groups: { keepers: { label: 'Keepers' } },
        users: { ann: { id: 1, groups: ['keepers'] } },
      },
      test,
    );
    const feed = await openFeed(folder.root);
    const seen = async (since: string) => (await feed.changes('ann', since)).items.map(({ removed }) => removed);
    mock.timers.tick(5000);
    const { until: start } = await feed.changes('ann');
    const group = folder.path('groups/keepers.yaml');
    renameSync(group, folder.beside('keepers.yaml'));
    feed.rescan();
    mock.timers.tick(5000);
    assert.deepEqual(await seen(start), [true]);
    const { until: without } = await feed.changes('ann');
    renameSync(folder.beside('keepers.yaml'), group);
    feed.rescan();
    mock.timers.tick(5000);
    assert.deepEqual(await seen(without), [false]);
    assert.deepEqual(await removedFor(feed, 'ann'), []);
  });

  it('has what is removed while it is opened', async (test) => {
    const { folder, feed } = await start(test);
    await feed.journal.written();
    const store = new UnitStore(folder.root);
    const rescan = () => runStepsWithoutPause(store.rescan([{ folder: '' }]));
    rescan();
    const opening = FeedJournal.open(store);
    while (!store.onUpdate) await nextTurn();
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    rescan();
    await (await opening).written();
    mock.timers.tick(2000);
    assert.deepEqual(await removedFor(await openFeed(folder.root), null), [two]);
  });

  it('has what was removed while nobody followed, and after a line that a crash cut off', async (test) => {
    const { folder, feed } = await start(test);
    await feed.journal.written();
    appendFileSync(journalOf(folder.root), '{"record":"namespaces/kept/name');
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    const next = await openFeed(folder.root);
    mock.timers.tick(2000);
    assert.deepEqual(await removedFor(next, null), [two]);
    assert.ok(readFileSync(journalOf(folder.root), 'utf8').endsWith('}\n'));
    assert.equal(next.journal.history.completeSince, feed.journal.history.completeSince);
    // After another start, too.
    assert.deepEqual(await removedFor(await openFeed(folder.root), null), [two]);
  });

  it('has what is removed after a start at which the clock is back', async (test) => {
    const { folder, feed } = await start(test);
    const right = Date.now();
    mock.timers.setTime(right + 600_000);
    const path = `${homeOf('a/two')}/dataset.yaml`;
    const text = readFileSync(folder.path(path), 'utf8');
    for (const written of [`${text}visibility: private\n`, text]) {
      folder.write(path, written);
      feed.rescan();
    }
    await feed.journal.close();
    mock.timers.setTime(right + 60_000);
    const next = await openFeed(folder.root);
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    next.rescan();
    mock.timers.setTime(right + 1_200_000);
    assert.deepEqual(await removedFor(next, null), [two]);
  });

  for (const whenSetBack of ['while a server runs', 'between two starts'])
    it(`begins anew if the clock was far ahead, and is set back ${whenSetBack}`, async (test) => {
      const { folder, feed } = await start(test);
      const right = Date.now();
      const log: string[] = [];
      mock.timers.setTime(right + 400 * 24 * 3_600_000);
      folder.write(`${homeOf('a/two')}/dataset.yaml`, 'id: 3\nlabel: Two\nvisibility: private\n');
      feed.rescan();
      await feed.journal.written();
      mock.timers.tick(2000);
      const ahead = (await feed.changes('admin')).until;
      if (whenSetBack === 'between two starts') await feed.journal.close();
      mock.timers.setTime(right);
      const next =
        whenSetBack === 'between two starts' ? await openFeed(folder.root, { log: (line) => log.push(line) }) : feed;
      if (next === feed) await feed.changes('admin');
      mock.timers.tick(2000);

      const { items, until, completeSince } = await next.changes('admin');
      const listed = new Set(items.map(({ ref }) => recordPathWithoutExtension(ref)));
      for (const address of Array.from(listFeedRefs(next.visible('admin')), recordPathWithoutExtension))
        assert.ok(listed.has(address), address);
      assert.ok(completeSince <= until, `${completeSince} ${until}`);
      // A harvester that was there meanwhile begins with everything, too.
      assert.ok((await next.changes('admin', ahead)).completeSince > ahead);
      rmSync(folder.path(homeOf('a/two')), { recursive: true });
      next.rescan();
      mock.timers.tick(2000);
      assert.deepEqual(await removedFor(next, 'admin'), [two]);
      if (log.length > 0) assert.match(log.join(), /^The clock was ahead/);
      assert.deepEqual(await removedFor(await openFeed(folder.root), 'admin'), [two]);
    });

  for (const whenSetRight of ['while a server runs', 'between two starts'])
    it(`begins anew once more if the clock was behind, and is set right ${whenSetRight}`, async (test) => {
      const { folder, feed } = await start(test);
      rmSync(folder.path(homeOf('a/two')), { recursive: true });
      feed.rescan();
      await feed.journal.close();
      mock.timers.tick(2000);
      const right = Date.now();
      const log: string[] = [];
      const options = { log: (line: string) => log.push(line) };
      mock.timers.setTime(right - 400 * 24 * 3_600_000);
      const behind = await openFeed(folder.root, options);
      rmSync(folder.path(homeOf('a/one')), { recursive: true });
      behind.rescan();
      await behind.journal.close();
      // Another start at the wrong time.
      await (await openFeed(folder.root, options)).journal.close();
      mock.timers.setTime(right + 60_000);
      const next = whenSetRight === 'between two starts' ? await openFeed(folder.root, options) : behind;
      await next.changes(null);
      mock.timers.tick(2000);
      const { completeSince } = await next.changes(null);
      assert.ok(Date.parse(completeSince) >= right, completeSince);
      assert.match(
        log.join('\n'),
        /or is behind now: .*\nThe clock was behind when the journal of changes began: [^\n]*$/,
      );
      await next.journal.close();
      const last = await openFeed(folder.root, options);
      assert.deepEqual([(await last.changes(null)).completeSince, log.length], [completeSince, 2]);
    });

  it('lists files that were written while the clock was ahead', async (test) => {
    const folder = makeFolder(content, test);
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 400 * 24 * 3_600_000 });
    test.after(() => mock.timers.reset());
    const feed = await openFeed(folder.root);
    const { items, until } = await feed.changes('admin');
    assert.equal(items.length, [...listFeedRefs(feed.visible('admin'))].length);
    assert.ok(items.every(({ datetime }) => (datetime ?? '') <= until));
  });

  it('begins anew if it is lost, damaged or of another version, and says so', async (test) => {
    const { folder, feed } = await start(test);
    await feed.journal.written();
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    for (const damage of [null, 'x\n', '{"changes":99,"complete_since":1}\n']) {
      if (damage === null) rmSync(journalOf(folder.root));
      else writeFileSync(journalOf(folder.root), damage);
      mock.timers.tick(2000);
      const next = await openFeed(folder.root);
      mock.timers.tick(2000);
      assert.deepEqual(await removedFor(next, null), []);
      assert.ok(next.journal.history.completeSince > feed.journal.history.completeSince);
    }
  });

  it('keeps what it has when single lines are damaged, and says so', async (test) => {
    const { folder, feed } = await start(test);
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    feed.rescan();
    await feed.journal.written();
    const [head = '', ...lines] = readFileSync(journalOf(folder.root), 'utf8').split('\n');
    const damaged = [head, '{}', ...lines.slice(0, 2), '\0\0\0', 'null', '{"at":1,"record":{}}', ...lines.slice(2)];
    writeFileSync(journalOf(folder.root), damaged.join('\n'));
    mock.timers.tick(2000);
    const log: string[] = [];
    const next = await openFeed(folder.root, { log: (line) => log.push(line) });
    assert.deepEqual(await removedFor(next, null), [two]);
    assert.equal(log.length, 1);
    assert.match(log[0] ?? '', /^The journal of changes has 4 damaged lines: .*changes\.ndjson\./);
    assert.ok(!readFileSync(journalOf(folder.root), 'utf8').includes('\0'));
  });

  it('is left as it is while it cannot be read', async (test) => {
    const { folder, feed } = await start(test);
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    feed.rescan();
    await feed.journal.written();
    mock.timers.tick(2000);
    const aside = folder.path('.catalogue/aside');
    renameSync(journalOf(folder.root), aside);
    mkdirSync(journalOf(folder.root));
    const log: string[] = [];
    const next = await openFeed(folder.root, { log: (line) => log.push(line) });
    assert.deepEqual(await removedFor(next, null), []);
    assert.match(log.join(), /^The journal of changes can't be read \(EISDIR\): .* is not written\./);
    rmdirSync(journalOf(folder.root));
    renameSync(aside, journalOf(folder.root));
    folder.write('queries/new.yaml', 'id: 77\nlabel: New\ndataset: kept/kept\n');
    next.rescan();
    await next.journal.close();
    assert.deepEqual(await removedFor(await openFeed(folder.root), null), [two]);
  });

  it('is written as a whole when its file is gone, and at the end what could not be written before', async (test) => {
    const { folder, feed } = await start(test);
    await feed.journal.written();
    rmSync(journalOf(folder.root));
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    feed.rescan();
    await feed.journal.written();
    mock.timers.tick(2000);
    assert.deepEqual(await removedFor(await openFeed(folder.root, { readOnly: true }), null), [two]);
    rmSync(journalOf(folder.root));
    mkdirSync(journalOf(folder.root));
    rmSync(folder.path('queries/q.yaml'));
    feed.rescan();
    await feed.journal.written();
    rmdirSync(journalOf(folder.root));
    await feed.journal.close();
    mock.timers.tick(2000);
    assert.deepEqual((await removedFor(await openFeed(folder.root), null)).sort(), [two, 'queries/q']);
  });

  it('has what happened before for a program that opens the folder for one question', async (test) => {
    const { folder, feed } = await start(test);
    const { until } = await feed.changes(null);
    mock.timers.tick(60_000);
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    folder.write('queries/new.yaml', 'id: 77\nlabel: New\ndataset: kept/kept\n');
    const { items } = await (await openFeed(folder.root, { readOnly: true })).changes(null, until);
    const found = items.map(({ ref, removed }) => `${removed ? '-' : '+'}${recordPathWithoutExtension(ref)}`);
    assert.deepEqual(found.sort(), ['+queries/new', `-${two}`]);
  });

  it('keeps no more events of a reader than of a writer', async (test) => {
    const { folder, feed } = await start(test, { readOnly: true, maxEvents: 4 });
    for (let i = 0; i < 30; i++) {
      folder.write(`queries/q${i}.yaml`, `id: ${100 + i}\nlabel: New\ndataset: kept/kept\n`);
      feed.rescan();
      mock.timers.tick(10);
    }
    assert.ok(feed.journal.history.eventCount <= 5);
  });

  it('drops old events, by age and by number', async (test) => {
    const { folder, feed } = await start(test, { maxEvents: 4 });
    const days = (count: number) => mock.timers.tick(count * 24 * 3_600_000);
    rmSync(folder.path(homeOf('a/two')), { recursive: true });
    feed.rescan();
    days(2);
    assert.deepEqual(await removedFor(feed, null), [two]);
    days(91);
    folder.write('queries/new.yaml', 'id: 77\nlabel: New\ndataset: kept/kept\n');
    feed.rescan();
    days(1);
    assert.deepEqual(await removedFor(feed, null), []);
    const since = feed.journal.history.completeSince;
    assert.ok(since > Date.now() - 93 * 24 * 3_600_000);
    for (let i = 0; i < 10; i++) {
      folder.write(`queries/q${i}.yaml`, `id: ${100 + i}\nlabel: New\ndataset: kept/kept\n`);
      feed.rescan();
      mock.timers.tick(10);
      await feed.journal.written();
    }
    assert.ok(feed.journal.history.eventCount <= 5);
    assert.ok(feed.journal.history.completeSince > since);
    assert.ok(readFileSync(journalOf(folder.root), 'utf8').split('\n').length < 40);
  });

  it('is not written by a reader, and its loss of a disk is logged once', async (test) => {
    const { folder, feed } = await start(test, { readOnly: true });
    await feed.journal.written();
    assert.ok(!existsSync(journalOf(folder.root)));
    rmSync(folder.path('.catalogue'), { recursive: true, force: true });
    folder.write('.catalogue', 'in the way');
    const log: string[] = [];
    const next = await openFeed(folder.root, { log: (line) => log.push(line) });
    for (const slug of ['one', 'two']) {
      rmSync(folder.path(homeOf(`a/${slug}`)), { recursive: true });
      next.rescan();
      await next.journal.written();
    }
    mock.timers.tick(2000);
    assert.deepEqual(await removedFor(next, null), [two]);
    assert.equal(log.length, 1);
    assert.match(log[0] ?? '', /journal of changes can't be written \(E[A-Z]+\)/);
    // Once it can be written again, it has everything.
    rmSync(folder.path('.catalogue'));
    folder.write('queries/new.yaml', 'id: 77\nlabel: New\ndataset: kept/kept\n');
    next.rescan();
    await next.journal.written();
    assert.deepEqual(await removedFor(await openFeed(folder.root), null), [two]);
  });
});
