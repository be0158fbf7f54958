import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSynced } from '../../src/catalogue/manifest-groups.ts';
import { joinExtensions } from '../../src/sync/extensions.ts';
import type { Files } from '../../src/sync/files.ts';
import { type Move, moveCandidates, pathAfterMove, pathAfterMoves, pathBeforeMoves } from '../../src/sync/moves.ts';
import { nameCoversPath, selectNamedPartOfPlan } from '../../src/sync/named-part.ts';
import { baseFilesAfterConflictChoice, planSync, type SyncPlan } from '../../src/sync/plan.ts';
import type { SyncStep } from '../../src/sync/steps.ts';

const ns = 'namespaces/parks/namespace.yaml';
const home = 'namespaces/parks/datasets/trees';
const set = `${home}/dataset.yaml`;
const version = `${home}/versions/2020.yaml`;
const payload = `${home}/data/2020.csv`;

/** Files by path and checksum. */
const files = (sums: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(sums).map(([path, checksum]) => [path, { checksum, size: 1 }]));

type Sums = Readonly<Record<string, string>>;
const plan = (base: Sums, ours: Sums, theirs: Sums, more: object = {}): SyncPlan =>
  planSync({
    ...joinExtensions({ base: files(base), ours: files(ours), theirs: files(theirs) }),
    moves: [],
    ...more,
  });

const stepInWords = (step: SyncStep) => `${step.do} ${step.path}${'replaces' in step ? ` for ${step.replaces}` : ''}`;

/** A plan in few words. */
const words = ({ incoming, outgoing, conflicts, blocked: held, agreed }: SyncPlan) => ({
  ...(incoming.length && { incoming: incoming.map(stepInWords) }),
  ...(outgoing.length && { outgoing: outgoing.map(stepInWords) }),
  ...(conflicts.length && { conflicts: conflicts.map(({ path }) => path) }),
  ...(held.length && { held: held.map(({ path }) => path) }),
  ...(agreed.length && { agreed: agreed.map(({ from }) => from) }),
});

const whole = { [ns]: 'n', [set]: 's', [version]: 'v', [payload]: 'p' };
const without = (sums: Sums, ...paths: readonly string[]): Sums =>
  Object.fromEntries(Object.entries(sums).filter(([path]) => !paths.includes(path)));

describe('a plan', () => {
  const [q, json, yml] = ['queries/q.yaml', 'queries/q.json', 'queries/q.yml'] as const;
  const cases: Readonly<Record<string, [base: Sums, ours: Sums, theirs: Sums, expected: object]>> = {
    'is empty where nothing differs': [{ [q]: '1' }, { [q]: '1' }, { [q]: '1' }, {}],
    'takes what they have changed': [{ [q]: '1' }, { [q]: '1' }, { [q]: '2' }, { incoming: [`write ${q}`] }],
    'takes what they have added': [{}, {}, { [q]: '2' }, { incoming: [`write ${q}`] }],
    'takes what they have removed': [{ [q]: '1' }, { [q]: '1' }, {}, { incoming: [`remove ${q}`] }],
    'sends what we have changed': [{ [q]: '1' }, { [q]: '2' }, { [q]: '1' }, { outgoing: [`write ${q}`] }],
    'sends what we have added': [{}, { [q]: '2' }, {}, { outgoing: [`write ${q}`] }],
    'sends what we have removed': [{ [q]: '1' }, {}, { [q]: '1' }, { outgoing: [`remove ${q}`] }],
    'leaves what both have changed': [{ [q]: '1' }, { [q]: '2' }, { [q]: '3' }, { conflicts: [q] }],
    'leaves what both have added': [{}, { [q]: '2' }, { [q]: '3' }, { conflicts: [q] }],
    'leaves what one changed and the other removed': [{ [q]: '1' }, { [q]: '2' }, {}, { conflicts: [q] }],
    'notes what both changed alike': [{ [q]: '1' }, { [q]: '2' }, { [q]: '2' }, { agreed: [q] }],
    'notes what both removed': [{ [q]: '1' }, {}, {}, { agreed: [q] }],
    'has the order of the paths, whatever the order of the last common state': [
      { 'queries/c.yaml': '1', 'queries/a.yaml': '1', 'queries/d.yaml': '1', 'queries/b.yaml': '1' },
      { 'queries/c.yaml': '1', 'queries/a.yaml': '1' },
      { 'queries/c.yaml': '2', 'queries/a.yaml': '2' },
      {
        incoming: ['write queries/a.yaml', 'write queries/c.yaml'],
        agreed: ['queries/b.yaml', 'queries/d.yaml'],
      },
    ],
    'adds what is needed first first': [
      {},
      {},
      { [version]: 'v', [q]: 'q', [payload]: 'p', [set]: 's', 'users/u.yaml': 'u', [ns]: 'n', 'groups/g.yaml': 'g' },
      {
        incoming: [
          'write groups/g.yaml',
          'write users/u.yaml',
          `write ${ns}`,
          `write ${set}`,
          `put ${payload}`,
          `write ${version}`,
          `write ${q}`,
        ],
      },
    ],
    'removes the other way': [
      { ...whole, [q]: 'q', 'users/u.yaml': 'u', 'groups/g.yaml': 'g' },
      { ...whole, [q]: 'q', 'users/u.yaml': 'u', 'groups/g.yaml': 'g' },
      {},
      {
        incoming: [`remove ${q}`, `remove ${set}`, `remove ${ns}`, 'remove users/u.yaml', 'remove groups/g.yaml'],
      },
    ],
    'takes a payload away with its version only': [
      whole,
      whole,
      without(whole, version, payload),
      { incoming: [`remove ${version}`] },
    ],
    'brings a payload back that was lost': [whole, without(whole, payload), whole, { incoming: [`put ${payload}`] }],
    'does not bring an image back': [{ 'site_media/a.png': '1' }, {}, { 'site_media/a.png': '1' }, {}],
    'takes a removed dataset with something new in it for one conflict': [
      whole,
      { ...whole, [`${home}/versions/2021.yaml`]: 'w' },
      without(whole, set, version, payload),
      { conflicts: [payload, set, version, `${home}/versions/2021.yaml`].sort() },
    ],
    'takes a removed namespace with a new dataset for a conflict, and not its other datasets': [
      whole,
      { ...whole, 'namespaces/parks/datasets/new/dataset.yaml': 'x' },
      {},
      { incoming: [`remove ${set}`], conflicts: ['namespaces/parks/datasets/new/dataset.yaml', ns] },
    ],
    'takes another extension': [{ [q]: '1' }, { [q]: '1' }, { [json]: '1' }, { incoming: [`write ${json} for ${q}`] }],
    'sends another extension with another text': [
      { [q]: '1' },
      { [json]: '2' },
      { [q]: '1' },
      { outgoing: [`write ${json} for ${q}`] },
    ],
    'notes that both have changed extension and text alike': [
      { [q]: '1' },
      { [json]: '2' },
      { [json]: '2' },
      { agreed: [q] },
    ],
    'leaves different extensions of both': [{ [q]: '1' }, { [json]: '1' }, { [yml]: '1' }, { conflicts: [q] }],
    'leaves different extensions of what both have added': [{}, { [q]: '1' }, { [json]: '1' }, { conflicts: [q] }],
    'leaves a text of ours and an extension of theirs': [
      { [q]: '1' },
      { [q]: '2' },
      { [yml]: '1' },
      { conflicts: [q] },
    ],
    'leaves what one removed and the other gave another extension': [
      { [q]: '1' },
      {},
      { [json]: '1' },
      { conflicts: [q] },
    ],
    'goes on after a text without its extension': [
      { [q]: '1' },
      { [q]: '2' },
      { [json]: '2' },
      { incoming: [`write ${json} for ${q}`] },
    ],
    'goes on after an extension without its text': [
      { [json]: '1' },
      { [q]: '1' },
      { [q]: '2' },
      { incoming: [`write ${q}`] },
    ],
    'takes another extension of a dataset for a change of its record only': [
      whole,
      { ...without(whole, payload), [version]: 'w' },
      { ...without(whole, set), [set.replace('yaml', 'json')]: 's' },
      {
        incoming: [`write ${set.replace('yaml', 'json')} for ${set}`, `put ${payload}`],
        outgoing: [`write ${version}`],
      },
    ],
    'removes the file with the extension that it has': [
      { [json]: '1', [ns]: 'n' },
      { [json]: '1', [ns]: 'n' },
      { [ns]: 'n' },
      { incoming: [`remove ${json}`] },
    ],
  };
  for (const [name, [base, ours, theirs, expected]] of Object.entries(cases))
    it(name, () => assert.deepEqual(words(plan(base, ours, theirs)), expected));

  it('is about the files of a catalogue, but for its settings', () => {
    for (const path of Object.keys(whole)) assert.ok(isSynced(path), path);
    for (const path of ['catalogue.yaml', 'catalogue.json', 'notes.txt', 'users/a/b.yaml', `${home}/a.yaml`])
      assert.ok(!isSynced(path), path);
  });

  it('leaves alone what can not be read', () => {
    const leftAlone = new Map([[set, 'No permission.']]);
    const left = plan(whole, { ...whole, [set]: '' }, { [ns]: 'n' }, { leftAlone });
    assert.deepEqual(words(left), { held: [set] });
  });

  it('does not take for removed what is only out of sight', () => {
    const found = plan(whole, whole, { [ns]: 'n', 'queries/new.yaml': '1' }, { hiddenReason: 'Sign in.' });
    assert.deepEqual(words(found).incoming, ['write queries/new.yaml']);
    assert.equal(found.blocked[0]?.reason, 'Sign in.');
  });

  it('sends a rename as one, and reads under the old name where the other side has yet to hear of it', () => {
    const to = 'namespaces/parks/datasets/oaks';
    const moves: Move[] = [{ path: set, to: `${to}/dataset.yaml`, by: 'ours' }];
    const after = (sums: Sums): Sums =>
      Object.fromEntries(Object.entries(sums).map(([path, sum]) => [path.replace(home, to), sum]));
    const found = plan(after(whole), after(whole), after({ ...whole, [version]: 'w' }), { moves });
    assert.deepEqual(words(found), {
      incoming: [`write ${to}/versions/2020.yaml`],
      outgoing: [`move ${set}`],
    });
    assert.equal(found.incoming[0]?.from, version);
  });

  it('has renames in the order of their paths, whatever the order of the last common state', () => {
    const before = { 'queries/b.yaml': '1', 'queries/a.yaml': '1' };
    const after = { 'queries/d.yaml': '1', 'queries/c.yaml': '1' };
    const { removed } = moveCandidates('query', files(before), files(after), files(before));
    assert.deepEqual(removed, ['queries/a.yaml', 'queries/b.yaml']);
  });

  it('has no conflict left when somebody has chosen, and gives the other side or this one what was chosen', () => {
    const [base, ours, theirs] = [{ [set]: '1', [ns]: 'n' }, { [set]: '2', [ns]: 'n' }, { [ns]: 'n' }] as const;
    const { conflicts } = plan(base, ours, theirs);
    const withBase = (choice: 'ours' | 'theirs') => {
      const known = new Map(files(base));
      for (const [path, file] of baseFilesAfterConflictChoice(conflicts, choice))
        file ? known.set(path, file) : known.delete(path);
      return words(planSync({ base: known, ours: files(ours), theirs: files(theirs), moves: [] }));
    };
    assert.deepEqual(withBase('ours'), { outgoing: [`write ${set}`] });
    assert.deepEqual(withBase('theirs'), { incoming: [`remove ${set}`] });
  });
});

describe('names', () => {
  it('mean a record with all that lies in it', () => {
    const meant = (name: string) =>
      [ns, set, version, payload, 'groups/parks.yaml'].filter((path) => nameCoversPath(name, path));
    assert.deepEqual(meant('parks'), [ns, set, version, payload]);
    assert.deepEqual(meant('parks/trees'), [set, version, payload]);
    assert.deepEqual(meant('parks/trees@2020'), [version]);
    assert.deepEqual(meant('groups/parks'), ['groups/parks.yaml']);
    assert.deepEqual(meant(set), [set]);
    assert.deepEqual(meant('park'), []);
  });

  it('bring with them what has to be there first', () => {
    const all = plan({}, { ...whole, 'queries/q.yaml': 'q' }, {});
    const few = selectNamedPartOfPlan(all, ['parks/trees@2020']);
    assert.deepEqual(words(few), { outgoing: [`write ${ns}`, `write ${set}`, `put ${payload}`, `write ${version}`] });
  });
});

describe('paths and many moves', () => {
  const recordOf = (name: string) =>
    `namespaces/${name.replace('/', '/datasets/')}/${name.includes('/') ? 'dataset' : 'namespace'}.yaml`;

  it('are followed as one move after the other', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const names = ['a', 'b', 'c', 'a/x', 'a/y', 'b/x', 'b/y', 'c/x'];
    const paths = names.flatMap((name) => [
      recordOf(name),
      recordOf(name).replace(/[^/]+$/, 'versions/2020.yaml'),
      'queries/q.yaml',
    ]);
    for (let round = 0; round < 500; round++) {
      const moves = Array.from({ length: random(6) }, (): Move => {
        const kind = random(2) ? names.slice(0, 3) : names.slice(3);
        const [path, to] = [kind[random(kind.length)], kind[random(kind.length)]].map((name) => recordOf(name ?? ''));
        return { path: path ?? '', to: to ?? '', by: 'ours' };
      });
      for (const path of paths) {
        const [start, end] = [random(3), random(moves.length + 1)];
        assert.equal(pathAfterMoves(path, moves, start), moves.slice(start).reduce(pathAfterMove, path));
        const before = moves
          .slice(0, end)
          .reduceRight((at, { path: from, to }) => pathAfterMove(at, { path: to, to: from }), path);
        assert.equal(pathBeforeMoves(path, moves, end), before);
      }
    }
  });

  it('make a plan of thousands of moves in a time that grows with their number', () => {
    const planOf = (count: number, isConflict: boolean) => {
      const names = Array.from({ length: count }, (_, i) => `parks/s${i}`);
      const [base, ours, theirs] = ['', isConflict ? ' ours' : '', isConflict ? ' theirs' : ''].map((change) =>
        Object.fromEntries(names.map((name) => [recordOf(`${name}-new`), name + change])),
      ) as [Sums, Sums, Sums];
      const moves = names.map((name): Move => ({ path: recordOf(name), to: recordOf(`${name}-new`), by: 'ours' }));
      const started = performance.now();
      const { outgoing, conflicts } = plan(base, ours, theirs, { moves });
      const time = performance.now() - started;
      assert.deepEqual([outgoing.length, conflicts.length], [count, isConflict ? count : 0]);
      return time;
    };
    planOf(1000, true);
    const [few, many] = [planOf(1000, false), planOf(16_000, false)];
    // A look at all moves for each of them takes 256 times as long.
    assert.ok(many < 100 * Math.max(few, 5), `${few} ms for 1,000 moves, ${many} ms for 16,000`);
    const [fewConflicts, manyConflicts] = [planOf(500, true), planOf(4000, true)];
    const times = `${fewConflicts} ms for 500 conflicts, ${manyConflicts} ms for 4,000`;
    assert.ok(manyConflicts < 40 * Math.max(fewConflicts, 20), times);
  });
});
