/** Servers that mean harm, or are none: what their answers can't bring about here. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotFoundError, UnreachableError } from '../../src/catalogue/errors.ts';
import type { Http } from '../../src/remote/http.ts';
import { openRemoteCatalogue, type RemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { RemoteReplica } from '../../src/remote/replica.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The catalogue at a server that answers as it is told to. */
async function at(test: TestContext, answer: Answer, token?: string): Promise<RemoteCatalogue> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const catalogue = await openRemoteCatalogue(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    token,
    retries: 0,
  });
  test.after(async () => {
    await catalogue.close();
    server.closeAllConnections();
    server.close();
  });
  return catalogue;
}

const says =
  (value: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };

/** As long as somebody takes it. */
const endless =
  (text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (request.method === 'HEAD') return void response.end();
    const bytes = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
    const more = () => {
      while (!response.destroyed && response.write(bytes));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };

const version = {
  id: 1,
  label: 'v1',
  slug: 'v1',
  dataset: 'http://x/api/v1/namespaces/parks/datasets/trees/',
  datetime: '2020-01-01T00:00:00Z',
  checksum: createHash('sha256').update('hello').digest('hex'),
  ready: true,
};
const ref = { kind: 'version', namespace: 'parks', dataset: 'trees', slug: 'v1' } as const;

/** Answers for the version itself, and as told for what lies below it. */
const below =
  (answer: Answer): Answer =>
  (request, response) =>
    /\/(?:download|diff)\//.test(request.url ?? '') ? answer(request, response) : says(version)(request, response);

const isUnreachable = (error: unknown) => error instanceof UnreachableError;

describe('answers without an end', { concurrency: 2 }, () => {
  it('a manifest is given up', { timeout: 120_000 }, async () => {
    const path = 'x'.repeat(4096);
    const lines = Buffer.from(`${JSON.stringify({ path, checksum: '', size: 0 })}\n`.repeat(100));
    async function* body() {
      for (;;) yield lines;
    }
    const request = async () => ({ status: 200, headers: {}, body: Readable.from(body()) });
    const replica = new RemoteReplica({ base: 'http://x', request } as unknown as Http);
    const read = async () => {
      let count = 0;
      for await (const _ of (await replica.manifest())?.entries ?? []) count++;
      return count;
    };
    await assert.rejects(read(), /lists more files than can be kept in memory/);
  });

  it('a picture and a tile are given up', async (test) => {
    const catalogue = await at(test, (request, response) =>
      (/map\.svg|\.mvt/.test(request.url ?? '') ? endless('<svg>') : below(says('{}')))(request, response),
    );
    const map = await catalogue.map(ref, { parameters: [] });
    await assert.rejects(map.picture(), isUnreachable);
    await assert.rejects(map.tile({ z: 0, x: 0, y: 0 }), isUnreachable);
  });

  it('of a HEAD that is refused, the answer to a GET is not read', async (test) => {
    let isClosed = false;
    const catalogue = await at(test, (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(405).end();
      response.on('close', () => {
        isClosed = true;
      });
      endless('x')(request, response);
    });
    await catalogue.replica.entry('catalogue.yaml');
    for (let i = 0; i < 100 && !isClosed; i++) await sleep(50);
    assert.equal(isClosed, true);
  });

  it('JSON is given up', async (test) => {
    const catalogue = await at(test, endless(' '));
    await assert.rejects(catalogue.list('dataset', {}), isUnreachable);
  });

  it('so is a line of a manifest', async (test) => {
    const { replica } = await at(test, endless('x'));
    const manifest = await replica.manifest();
    await assert.rejects(manifest?.entries[Symbol.asyncIterator]().next() ?? Promise.resolve(), isUnreachable);
  });

  it('of the bytes of a file, those come that were asked for', async (test) => {
    for (const status of [200, 206]) {
      const headers = { 'content-range': 'bytes 2-5/10' };
      const catalogue = await at(test, below(endless('0123456789', status, headers)));
      let text = '';
      for await (const chunk of (await catalogue.payload(ref)).stream({ start: 2, end: 5 })) text += chunk;
      assert.equal(text, status === 200 ? '2345' : '0123');
    }
  });

  it('pages with nothing on them are not asked for again and again', async (test) => {
    const page = { count: 9, next: 'http://x/?page=2', previous: null, results: [] };
    const { trash, accounts } = await at(test, says(page));
    await assert.rejects(trash.list(), isUnreachable);
    await assert.rejects(accounts.tokens(), isUnreachable);
  });

  it('changes that go on without a cursor are not taken for all of them', async (test) => {
    const change = { url: '/api/v1/groups/editors/', datetime: '2020-01-01T00:00:00Z' };
    const page = { count: 9, next: 'http://x/?page=2', previous: null, results: [change] };
    const catalogue = await at(test, says(page));
    await assert.rejects(catalogue.changes(), isUnreachable);
  });
});

describe('the name of a file', () => {
  const names: Readonly<Record<string, string>> = {
    'filename="trees-1.csv.gz"': 'trees-1.csv.gz',
    "filename*=UTF-8''stra%C3%9Fe.csv": 'straße.csv',
    'filename="../../etc/passwd"': 'passwd',
    "filename*=UTF-8''a%0A%2F..%2F..%2F..%2Fevil": 'evil',
    "filename*=UTF-8''..%5C..%5Cevil.bat": 'evil.bat',
    'filename=".bashrc"': 'bashrc',
    'filename=" ..profile"': 'profile',
    'filename=".."': 'download',
    'filename="a/"': 'download',
    "filename*=UTF-8''a%00b%1B%5B31m%0Ac": 'a_b_[31m_c',
    "filename*=UTF-8''%E2%80%AEgnp.exe": '_gnp.exe',
    'filename="C:evil"': 'C_evil',
    'filename="': 'download',
  };
  for (const [disposition, name] of Object.entries(names))
    it(disposition, async (test) => {
      const headers = { 'content-disposition': `attachment; ${disposition}`, 'content-length': '0' };
      const catalogue = await at(test, below(says('', headers)));
      assert.equal((await catalogue.payload(ref)).fileName, name);
    });
});

describe('answers that mean nothing', () => {
  it('links that are none', async (test) => {
    const catalogue = await at(test, says({ ...version, dataset: 'http://x/api/v1/namespaces/%zz/datasets/%/' }));
    await assert.rejects(catalogue.get(ref), isUnreachable);
  });

  it('differences that are none', async (test) => {
    for (const text of ['nonsense\n', '', '5\n', '{}\n', '{"columns":{}}\n']) {
      const catalogue = await at(test, below(says(text)));
      await assert.rejects(catalogue.difference(ref, ref), isUnreachable, text);
    }
  });

  it('outcomes that are none', async (test) => {
    for (const value of [[null], [5], [{ path: 'a' }], [{ path: 'a', status: '200' }], {}]) {
      const { replica } = await at(test, says(value));
      await assert.rejects(
        replica.apply([{ do: 'remove', path: 'a', ifMatch: '' }]),
        isUnreachable,
        JSON.stringify(value),
      );
    }
  });

  it('entries of a manifest that are none', async (test) => {
    const entry = { path: 'groups/a.yaml', checksum: version.checksum, size: 5, record: true };
    const odd = [
      null,
      5,
      { path: 1 },
      { size: -3 },
      { size: '5' },
      { checksum: 'a"\r\nX-Evil: 1' },
      { checksum: 'zz' },
    ];
    for (const one of odd) {
      const line = one === null || typeof one === 'number' ? one : { ...entry, ...one };
      const { replica } = await at(test, says(`${JSON.stringify(entry)}\n${JSON.stringify(line)}\n`));
      const entries = (await replica.manifest())?.entries[Symbol.asyncIterator]();
      assert.deepEqual((await entries?.next())?.value, entry);
      await assert.rejects(entries?.next() ?? Promise.resolve(), isUnreachable, JSON.stringify(line));
    }
  });

  it('a path with half of a character', async (test) => {
    const { replica } = await at(test, says({}));
    await assert.rejects(replica.read('site_media/\ud800.png'), { name: NotFoundError.name });
  });
});

it('a token goes to the server that it is for, wherever that sends us', async (test) => {
  const heard: (string | undefined)[] = [];
  const other = createServer(({ headers }, response) => {
    heard.push(headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  test.after(() => other.close());
  const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  for (const status of [301, 302, 303, 307, 308]) {
    const sends: Answer = ({ url }, response) => void response.writeHead(status, { location: there + url }).end();
    const catalogue = await at(test, sends, 'secret');
    await assert.rejects(catalogue.get({ kind: 'group', slug: 'g' }));
    await assert.rejects(catalogue.create('group', { label: 'G' }));
    await assert.rejects(catalogue.replica.apply([]));
    await assert.rejects(catalogue.media('a.png'));
  }
  assert.deepEqual(heard, []);
});

it('a character reference that no character has makes a picture unreadable, and is no defect of ours', async (test) => {
  const svg = '<svg><metadata>&#9999999;</metadata></svg>';
  const catalogue = await at(test, (request, response) =>
    (request.url?.endsWith('map.svg') ? says(svg) : below(says('{}')))(request, response),
  );
  const map = await catalogue.map(ref, { parameters: [] });
  await assert.rejects(map.picture(), isUnreachable);
});
