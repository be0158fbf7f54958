/** Files from outside that take too much: each is refused, and everything else goes on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hostileFiles } from '../data/support/hostile-parquet.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

/** One item whose objects take some hundred MB. */
const greedy = `{"a":[${'[],'.repeat(4_000_000)}1]}\n`;

/** Process ids of the children of this process that read files. */
const readers = (): readonly string[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('ingest-process'));

describe('a server', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let token: string;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.catalogue.create('user', { username: 'ann', staff: true });
    ({ token } = await workshop.files.accounts.addToken('ann'));
    await workshop.publish('trees', 'trees.csv', 'name\noak\n');
    server = await serveFolder(workshop.root, { ingestLimits: { memory: 220 * 1024 ** 2 } });
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const upload = async (name: string, body: string | Buffer) => {
    const response = await fetch(
      `${server.base}/api/v1/namespaces/lab/datasets/trees/version/?name=${name}&force=true`,
      {
        method: 'POST',
        body: new Uint8Array(Buffer.from(body)),
        headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/octet-stream' },
      },
    );
    return { status: response.status, text: await response.text() };
  };

  /** Names of hidden files and folders: unfinished payloads and columnar copies. */
  const leftovers = () =>
    readdirSync(workshop.root, { recursive: true, encoding: 'utf8' }).filter((path) => /catalogue-tmp/.test(path));

  it('refuses each hostile Parquet, says why, and takes the next file', async () => {
    for (const [name, [file, reason]] of Object.entries(hostileFiles)) {
      const { status, text } = await upload('a.parquet', file());
      assert.equal(status, 400, name);
      assert.match(JSON.parse(text).file[0], reason);
    }
    const { status, text } = await upload('trees.csv', 'name\nelm\n');
    assert.equal(status, 201, text);
    assert.deepEqual(leftovers(), []);
  });

  it('refuses a file that takes too much memory, and answers others meanwhile', async () => {
    const refused = upload('a.ndjson', greedy);
    const others = Promise.all([upload('trees.csv', 'name\nash\n'), fetch(`${server.base}/api/v1/`)]);
    const { status, text } = await refused;
    assert.equal(status, 400, text);
    assert.match(
      JSON.parse(text).file[0],
      /^reading its rows took more than 220 MB of memory.* Split it into several files/,
    );
    assert.deepEqual(
      (await others).map(({ status }) => status),
      [201, 200],
    );
    assert.deepEqual(leftovers(), []);
  });

  it('shows no rows of such a file that was copied into the folder, and goes on', async () => {
    const home = join(workshop.root, 'namespaces/lab/datasets/copied');
    await workshop.catalogue.create('dataset', { label: 'Copied', slug: 'copied', namespace: 'lab' });
    mkdirSync(join(home, 'data'), { recursive: true });
    mkdirSync(join(home, 'versions'), { recursive: true });
    writeFileSync(join(home, 'data/1.ndjson'), greedy);
    const { createHash } = await import('node:crypto');
    const checksum = createHash('sha256').update(greedy).digest('hex');
    const record = { id: 77, label: '1', checksum, ready: true, rows: 1, file: { name: '1.ndjson', format: 'ndjson' } };
    writeFileSync(join(home, 'versions/20200101000000000000.yaml'), JSON.stringify(record));
    for (;;) {
      const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/copied/data/`);
      const text = await response.text();
      if (response.status === 503 || !text.includes('took more than')) continue;
      assert.equal(response.status, 404);
      break;
    }
    assert.equal((await upload('trees.csv', 'name\nyew\n')).status, 201);
  });

  it('ends the processes that read files when it closes', async () => {
    assert.equal(readers().length, 1);
    await server.close();
    assert.deepEqual(readers(), []);
  });
});
