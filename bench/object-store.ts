/**
 * A gigabyte in an object store: the server's memory and its requests to the store while a payload of that size is uploaded, and
 * downloaded whole, by range, and by redirect. The store is OpenStack Swift on this machine, as in the tests; Linux only.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { missingObjectStore, startObjectStore, type TestStore } from '../test/support/object-store.ts';
import { report } from './support/figures.ts';
import { startProgram } from './support/load.ts';
import { staffToken } from './support/staff.ts';

const megabyte = 1024 * 1024;
const size = 1024 * megabyte;
/** Most memory of the server, in MB. */
const mostMemory = { atMost: 300 };
const bin = fileURLToPath(new URL('../bin/catalogue.js', import.meta.url));

/** Random bytes of a file without rows, a megabyte at a time. */
function* payload() {
  const bytes = randomBytes(megabyte);
  for (let sent = 0; sent < size; sent += bytes.length) {
    // Each piece is another one.
    bytes.writeUInt32LE(sent / megabyte);
    yield Buffer.from(bytes);
  }
}

async function run(store: TestStore): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  try {
    mkdirSync(join(root, 'namespaces/large/datasets/bytes'), { recursive: true });
    writeFileSync(join(root, 'namespaces/large/namespace.yaml'), 'label: Large\n');
    writeFileSync(join(root, 'namespaces/large/datasets/bytes/dataset.yaml'), 'label: Bytes\n');
    const settings = (redirect: boolean) => {
      const payloads = { ...store.settings('bench'), cache: '1 MB', redirect };
      writeFileSync(join(root, 'catalogue.yaml'), JSON.stringify({ payloads }));
    };
    settings(false);
    const token = await staffToken(root);
    await measured(root, store, 'upload', async (url) => {
      const stored = await upload(
        `${url}/api/v1/namespaces/large/datasets/bytes/version/?name=bytes.bin&force=true`,
        token,
      );
      if (stored !== 201) throw new Error(`The upload was answered with ${stored}.`);
    });
    const download = (range?: string) => async (url: string) => {
      // Copies of before are not what is measured.
      rmSync(join(root, '.catalogue/cache/payloads'), { recursive: true, force: true });
      const headers = range ? { range } : {};
      const response = await fetch(`${url}/api/v1/namespaces/large/datasets/bytes/download/`, { headers });
      let bytes = 0;
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
      const expected = range ? megabyte : size;
      if (!response.ok || bytes !== expected)
        throw new Error(`${response.status}: ${bytes} bytes and not ${expected}.`);
    };
    await measured(root, store, 'download', download());
    await measured(root, store, 'download of 1 MB by range', download(`bytes=${size / 2}-${size / 2 + megabyte - 1}`));
    settings(true);
    await measured(root, store, 'redirected download', download());
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Does something with a server of its own, and reports the most memory of it and its requests to the store. */
async function measured(root: string, store: TestStore, name: string, work: (url: string) => Promise<void>) {
  const server = await startProgram([bin, 'serve', '--data', root, '--port', '0']);
  try {
    store.requests.length = 0;
    await work(server.url);
    const memory = peakMemory(server.pid);
    const methods = store.requests.map((line) => line.split(' ')[0] as string);
    const counts = [...new Set(methods)].map((method) => `${methods.filter((one) => one === method).length} ${method}`);
    report({
      name: `${name}, 1 GiB in an object store: most memory of the server`,
      values: [memory],
      unit: 'MB',
      target: mostMemory,
      details: `requests to the store: ${counts.join(', ')}`,
    });
  } finally {
    await server.stop();
  }
}

/** Most resident memory of a process so far, in MB (Linux: VmHWM in /proc/<pid>/status). */
const peakMemory = (pid: number): number =>
  (Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;

/** @returns the status */
function upload(address: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Token ${token}`, 'Content-Length': size };
    const outgoing = request(address, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    Readable.from(payload(), { objectMode: false }).pipe(outgoing);
  });
}

if (missingObjectStore) {
  console.error(`This benchmark ${missingObjectStore}`);
  process.exitCode = 1;
} else {
  let stop = async () => {};
  const store = await startObjectStore((end) => {
    stop = end;
  });
  await run(store).finally(stop);
}
