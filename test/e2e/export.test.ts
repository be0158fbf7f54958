/** `catalogue export` by the built program: the same bytes with another language, time zone and machine's folder; what a failure says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { writerMark } from '../../src/disk/writer.ts';
import { filesIn } from '../support/exported.ts';
import { makeFolder } from '../support/folder.ts';
import { run, start } from '../support/program.ts';

const folder = makeFolder({
  settings: { title: 'Istanbul’un ağaçları' },
  namespaces: { parks: { label: 'ILICA Parks' } },
  datasets: {
    'parks/trees': { label: 'Irmak', keywords: ['INDEX', 'ılık'], description: 'Äpfel, 1.234,5 and 1,234.5' },
    'parks/islands': { label: 'ıslak', keywords: ['index'] },
    'parks/iris': { label: 'Iris' },
    'parks/zebra': { label: 'Äpfel' },
  },
});
writeFileSync(
  folder.beside('t.csv'),
  'Id,height,year,longitude,latitude\nI,1234567.5,2019,29,41\nı,2.5,2020,29.5,41.5\n',
);

const exportTo = (to: string, env: NodeJS.ProcessEnv = {}, data = folder.root) =>
  run(['export', to, '--data', data, '--url', 'https://data.example.org', '--gzip'], { cwd: folder.beside('.'), env });

it('has the same bytes with another language and time zone', async () => {
  const published = await run(['publish', 't.csv', '--to', 'parks/trees', '--data', folder.root], {
    cwd: folder.beside('.'),
  });
  assert.equal(published.exitCode, 0, published.err);
  const [plain, turkish] = [folder.beside('plain'), folder.beside('turkish')];
  const copy = folder.beside('copy');
  cpSync(folder.root, copy, { recursive: true, filter: (path) => !path.includes('.catalogue') });
  const first = await exportTo(plain, { LC_ALL: 'C', TZ: 'UTC' });
  const other = await exportTo(turkish, { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Chatham' }, copy);
  for (const { exitCode, err } of [first, other]) assert.equal(exitCode, 0, err);
  assert.deepEqual(filesIn(turkish), filesIn(plain));
  for (const name of filesIn(plain))
    assert.ok(readFileSync(join(turkish, name)).equals(readFileSync(join(plain, name))), name);
});

it('refuses a folder of others and a file, and says what to type', async () => {
  const mine = folder.beside('mine');
  cpSync(folder.root, mine, { recursive: true });
  const others = await exportTo(mine);
  assert.equal(others.exitCode, 5);
  assert.match(
    others.err,
    /mine isn't empty and is no export \(.* is in it\)\. Name another folder, or .*--force\.\n$/,
  );
  const file = await exportTo(folder.beside('t.csv'));
  assert.notEqual(file.exitCode, 0);
  assert.match(file.err, /^error: .*t\.csv: It is a file, not a folder\.\n$/);
  const below = await exportTo(join(folder.beside('t.csv'), 'site'));
  assert.notEqual(below.exitCode, 0);
  assert.doesNotMatch(below.err, /defect/);
});

it('completes an export that was killed, and removes what it left half written', async () => {
  const killed = folder.beside('killed');
  // Of the first test.
  const whole = folder.beside('plain');
  const program = start(['export', killed, '--data', folder.root, '--url', 'https://data.example.org', '--gzip'], {
    cwd: folder.beside('.'),
  });
  const home = join(killed, 'api/v1/namespaces/parks/datasets');
  while (!existsSync(home)) await new Promise((resolve) => setTimeout(resolve, 5));
  program.kill('SIGKILL');
  await once(program, 'close');
  // As if it had been killed while it wrote this file.
  const page = 'api/v1/namespaces/parks/datasets/iris/index.html';
  appendFileSync(
    join(killed, '.catalogue-export.new'),
    `${JSON.stringify({ name: 'dataset parks/iris', fingerprint: '', files: [page] })}\n`,
  );
  const mark = `${writerMark.split('-')[0]}-${program.pid?.toString(36)}-00000000`;
  mkdirSync(dirname(join(killed, page)), { recursive: true });
  writeFileSync(join(dirname(join(killed, page)), `.0123456789abcdef.${mark}.catalogue-tmp`), 'half');
  assert.equal((await exportTo(killed)).exitCode, 0);
  assert.deepEqual(filesIn(killed), filesIn(whole));
  for (const name of filesIn(whole))
    assert.ok(readFileSync(join(killed, name)).equals(readFileSync(join(whole, name))), name);
});
