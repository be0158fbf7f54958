/** Lists in a catalogue in memory: viewers who list in turn, and searches of 100,000 datasets. */
import { datasetFromRecord, datasetWithVersions, namespaceFromRecord } from '../src/catalogue/entities.ts';
import { listPage, prepareSearch } from '../src/catalogue/listing.ts';
import { anonymous, restrictSnapshotToVisible, type Viewer } from '../src/catalogue/permissions.ts';
import { emptySnapshot, nextSnapshot, type Snapshot, type UnitReading } from '../src/catalogue/snapshot.ts';
import { report } from './support/figures.ts';
import { searchedWords } from './support/generate.ts';
import { median, percentile } from './support/load.ts';

const rounds = 5;
const times = 200;

/** A snapshot with 100 datasets a namespace; one of ten is private. */
function makeSnapshot(datasets: number): Snapshot {
  const readings: UnitReading[] = [];
  for (let i = 0; i < datasets; i++) {
    const namespace = `publisher-${Math.floor(i / 100)}`;
    if (i % 100 === 0)
      readings.push({
        kind: 'namespace',
        slug: namespace,
        entity: namespaceFromRecord(namespace, { id: i + 1, label: `Publisher ${i / 100}`, owners: ['editors'] }),
      });
    const [a, b, c] = [0, 1, 2].map((n) => searchedWords[(i * 7919 + n * 31 + (i >> 4)) % searchedWords.length]);
    const slug = `${a}-${b}-${i}`;
    const dataset = datasetFromRecord(namespace, slug, {
      id: i + 1,
      label: `${a} ${b} ${i}`,
      description: `Every ${b} of the ${c}, with its ${a}; été ${i}.`,
      keywords: [`${c}`, `${b}-${i % 50}`],
      visibility: i % 10 ? 'public' : 'private',
    });
    readings.push({ kind: 'dataset', namespace, slug, entity: datasetWithVersions(dataset, []) });
  }
  return nextSnapshot(emptySnapshot, { readings, diagnostics: new Map() });
}

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function listInTurn(): void {
  const snapshot = makeSnapshot(10_000);
  // Each request makes its viewer anew.
  const editor = (): Viewer => ({ username: 'ann', staff: false, groups: ['editors'] });
  const pair = (page: number) => {
    for (const viewer of [anonymous, editor()])
      listPage(restrictSnapshotToVisible(viewer, snapshot), 'dataset', { page, ordering: '-label' });
  };
  pair(1);
  const values = Array.from({ length: rounds }, () =>
    median(Array.from({ length: times }, (_, i) => milliseconds(() => pair(1 + (i % 400))))),
  );
  report({ name: 'two viewers listing in turn, 10,000 datasets, a pair', values, unit: 'ms', target: { atMost: 0.2 } });
}

function searchMany(): void {
  const snapshot = makeSnapshot(100_000);
  const folding = milliseconds(() => [...prepareSearch(snapshot, 'dataset', { search: 'a' })]);
  listPage(snapshot, 'dataset', {});
  const values = Array.from({ length: rounds }, (_, round) => {
    const searches = Array.from({ length: times }, (_, i) => {
      const search = [`tree ${i}`, `ete ${i}`, `nothing-${i}`, `p ${round}${i}`][i % 4] ?? '';
      return milliseconds(() => listPage(snapshot, 'dataset', { search }));
    });
    return percentile(searches, 0.99);
  });
  report({
    name: 'search of 100,000 datasets, p99',
    values,
    unit: 'ms',
    target: { atMost: 40 },
    details: `texts folded once, in slices: ${folding.toFixed(0)} ms`,
  });
}

console.log('Lists, in memory');
listInTurn();
searchMany();
