/** Large records that worker threads parse, compose and edit: as if it were done here, and also if a thread dies. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { datasetFolder } from '../../../src/catalogue/layout.ts';
import { schemas } from '../../../src/catalogue/schemas.ts';
import { WorkerPool } from '../../../src/data/worker-pool.ts';
import { runStepsInSlices, runStepsWithoutPause } from '../../../src/files/reading/event-loop.ts';
import { composeRecordText, editLargeRecord, parseLargeRecord } from '../../../src/files/reading/large-records.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { editRecord, newRecordText } from '../../../src/text/document.ts';
import { isParsedSoon, RecordText } from '../../../src/text/parse.ts';
import { makeLastingFolder } from '../../support/folder.ts';

const order = Object.keys(schemas.dataset.properties);
const words = ['oak', 'yes', '1.10', 'a: b', '# no', '"q"', 'é\u2028', '', '- x', '__proto__', 'null', '0x1F'];
const random = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Columns whose text is longer than 64 kB, each different from one call to the next. */
const columns = () =>
  Array.from({ length: 3000 }, (_, i) => ({
    name: `${random(words)}${i}`,
    type: random(['string', 'float']),
    ...(Math.random() < 0.3 && { description: random(words) }),
  }));

describe('large records', () => {
  const workers = new WorkerPool({ size: 1 });
  after(() => workers.close());

  it('are composed and edited as here, and are parsed then', async () => {
    const record = { label: 'Wide', columns: columns(), extra: { min: -1.5, list: [1, null, true] } };
    const text = await composeRecordText(workers, 'dataset', record, order, { header: '# Table' });
    assert.ok(isParsedSoon(text, 'yaml'));
    assert.equal(text, newRecordText(record, order, '# Table'));
    const before = new RecordText(text, 'yaml');
    assert.deepEqual(before.parsed, { value: record });
    assert.equal(new RecordText(`${text}`, 'yaml').parsed, before.parsed);
    for (const changes of [
      { columns: columns().slice(0, 2500), notes: Number.NaN, extra: undefined },
      { label: 'Narrow', columns: undefined },
      {},
    ]) {
      const edited = await editLargeRecord(workers, 'dataset', before, changes);
      const expected = editRecord(new RecordText(text, 'yaml'), changes, order);
      assert.equal(edited.text, expected.text);
      assert.deepEqual(edited.parsed, expected.parsed);
    }
    const small = new RecordText('label: Small\n', 'yaml');
    const grown = await editLargeRecord(workers, 'dataset', small, { columns: record.columns });
    assert.equal(grown.text, editRecord(small, { columns: record.columns }, order).text);
  });

  it('are refused with the same error', async () => {
    const text = `label: &a Wide\n<<: ${'x'.repeat(1 << 16)}\n`;
    const record = new RecordText(`columns: [${text}`, 'yaml');
    await assert.rejects(editLargeRecord(workers, 'dataset', record, { label: 'B' }), {
      name: 'ConflictError',
    });
    await assert.rejects(composeRecordText(workers, 'dataset', { label: 1n, columns: columns() }, order), TypeError);
  });

  it('have the same contents and diagnostics when files are read', async () => {
    const list = (count: number, item: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => item(i)).join('');
    const head = 'label: Trees\nid: 1\n';
    const texts = [
      `${head}keywords:\n${list(9000, (i) => `  - word ${i}\n`)}`,
      `${head}keywords:\n${list(9000, (i) => `  - [a, {b: "${i}"}]\n`)}`,
      `${head}keywords:\n${list(9000, (i) => `  - word ${i}\n`)}keywords: []\n`,
      `${head}extra: [.nan, -.inf]\nnotes: |\n${list(9000, (i) => `  line ${i}\n`)}`,
    ];
    for (const text of texts) {
      const folder = makeLastingFolder({ namespaces: { parks: { label: 'Parks', id: 1 } } });
      folder.write(`${datasetFolder('parks', 'trees')}/dataset.yaml`, text);
      const store = new UnitStore(folder.root, workers);
      // Without preparation, the text is parsed here.
      const plain = new UnitStore(folder.root);
      const isAhead = isParsedSoon(text, 'yaml');
      await runStepsInSlices(store.rescan([{ folder: '' }]));
      // The contents of a broken record aren't sent from thread to thread: its diagnostics are enough.
      const isBroken = store.snapshot.diagnostics.size > 0;
      assert.deepEqual([isAhead, isParsedSoon(text, 'yaml')], [false, !isBroken]);
      // One character more: it is another text, which is parsed here.
      folder.write(`${datasetFolder('parks', 'trees')}/dataset.yaml`, `${text} `);
      runStepsWithoutPause(plain.rescan([{ folder: '' }]));
      const seen = ({ snapshot }: UnitStore) => [
        snapshot.folders.get('parks')?.datasets.get('trees'),
        [...snapshot.diagnostics].map(([path, found]) => [path, found]),
      ];
      assert.deepEqual(seen(store), seen(plain));
      folder.remove();
    }
  });

  it('are never parsed here, however often the file is saved while a thread reads it', async () => {
    const folder = makeLastingFolder({ namespaces: { parks: { label: 'Parks', id: 1 } } });
    const path = `${datasetFolder('parks', 'trees')}/dataset.yaml`;
    const text = (i: number) => `label: Trees ${i}\nid: 1\naliases:\n${'  - [a, {b: "c"}]\n'.repeat(4000 + i)}`;
    folder.write(path, text(0));
    const store = new UnitStore(folder.root, workers);
    let saved = 0;
    for (const step of store.rescan([{ kind: 'dataset', namespace: 'parks', slug: 'trees' }])) {
      await step?.();
      if (step) folder.write(path, text(++saved));
    }
    // It was read once, and is read again at its next event.
    assert.equal(saved, 1);
    const [found] = store.snapshot.diagnostics.get(path) ?? [];
    assert.deepEqual([found?.line, found?.message], [4, 'Item 1 of aliases must be text, not a list.']);
    folder.remove();
  });

  it('are read as they are after a write that came between', async () => {
    const folder = makeLastingFolder({ namespaces: { parks: { label: 'Parks', id: 1 } } });
    const path = `${datasetFolder('parks', 'trees')}/dataset.yaml`;
    const text = (label: string) => `label: ${label}\nid: 1\n${'# long\n'.repeat(20_000)}`;
    folder.write(path, text('Before'));
    const store = new UnitStore(folder.root, workers);
    const unit = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    const label = () => store.snapshot.folders.get('parks')?.datasets.get('trees')?.label;
    runStepsWithoutPause(store.rescan([{ folder: '' }]));
    folder.write(path, text('By hand'));
    let isWritten = false;
    for (const step of store.rescan([unit])) {
      await step?.();
      if (!step || isWritten) continue;
      isWritten = true;
      folder.write(path, text('Written'));
      runStepsWithoutPause(store.rescan([unit]));
      assert.equal(label(), 'Written');
      folder.write(path, text('By hand again'));
    }
    assert.equal(label(), 'By hand again');
    folder.remove();
  });

  it('are parsed here if the thread dies', async () => {
    const poor = new WorkerPool({ size: 1, memory: 4 });
    const record = { label: 'Wide', columns: columns() };
    const text = await composeRecordText(poor, 'dataset', record, order);
    assert.equal(text, newRecordText(record, order));
    const other = new RecordText(`${text}# end\n`, 'yaml');
    await parseLargeRecord(poor, 'dataset', other);
    assert.equal(isParsedSoon(other.text, 'yaml'), false);
    assert.deepEqual(other.parsed, { value: record });
    await poor.close();
  });
});
