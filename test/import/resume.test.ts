/** Files that come from a server in parts: an interrupted import fetches only the rest of them, and never mixes two files. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ValidationError } from '../../src/catalogue/errors.ts';
import { HttpDocuments } from '../../src/import/http-documents.ts';
import { filesIn } from '../support/exported.ts';
import { until } from '../support/folder.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const rows = (name: string) =>
  `name,number\n${Array.from({ length: 20_000 }, (_, i) => `${name},${(i * 7919) % 100_003}`).join('\n')}\n`;
const tagOf = (bytes: Buffer) => `"${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}"`;

describe('a file that comes in parts', () => {
  const portal = new Portal();
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
  /** Bytes sent, by answer, with the status. */
  const sent: [number, number][] = [];
  before(() => portal.start());
  after(() => {
    portal.close();
    rmSync(folder, { recursive: true });
  });

  /** Waits until the bytes of an unfinished file are on disk. */
  const stored = (place: string, size: number) =>
    until(
      () =>
        existsSync(place) &&
        filesIn(place).some((path) => path.endsWith('.part') && statSync(join(place, path)).size === size),
    );

  /**
   * Serves a file with ranges.
   * @param limits bytes after which an answer stops, of the first answers
   * @param place folder in which these bytes have to be before the answer is cut; without it, the answer stays open
   */
  function serveInParts(path: string, body: Buffer, { coding = '', limits = [] as number[], place = '' } = {}): void {
    portal.answers.set(path, ({ headers }, response) => {
      const etag = tagOf(body);
      const [, start] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
      const from = start !== undefined && headers['if-range'] === etag ? Number(start) : 0;
      const rest = body.subarray(from);
      const limit = limits.shift() ?? rest.length;
      response.writeHead(from ? 206 : 200, {
        etag,
        'content-length': rest.length,
        ...(from
          ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }
          : { 'content-type': 'text/csv' }),
        ...(coding && { 'content-encoding': coding }),
      });
      const bytes = rest.subarray(0, limit);
      sent.push([from ? 206 : 200, bytes.length]);
      if (limit >= rest.length) response.end(bytes);
      else {
        response.write(bytes);
        if (place) stored(place, from + limit).finally(() => response.destroy());
      }
    });
  }
  /** Documents of the portal, in a folder of their own. */
  const openDocuments = (name: string) =>
    HttpDocuments.open({ folder: join(folder, name), source: portal.base, interval: 0, retryAfter: 0 });

  it('is completed by the same import after Ctrl-C', async () => {
    const root = await makeRoot();
    const body = Buffer.from(rows('oak'));
    const half = 100_000;
    portal.json('/data.json', {
      conformsTo: 'dcat',
      dataset: [
        {
          title: 'Trees',
          identifier: 'trees',
          distribution: [{ downloadURL: `${portal.base}/trees.csv`, mediaType: 'text/csv' }],
        },
      ],
    });
    serveInParts('/trees.csv', body, { limits: [half] });
    const cache = join(root, '.catalogue/import');
    const importing = (options = {}) =>
      type(['import', `${portal.base}/data.json`, '--to', 'city', '--with-data', '--delay', '0', '--json'], {
        root,
        ...options,
      });
    const first = await importing({ interrupted: stored(cache, half).then(() => {}) });
    assert.deepEqual([first.exitCode, sent.splice(0)], [130, [[200, half]]]);
    portal.asked.length = 0;
    const second = await importing();
    assert.equal(second.exitCode, 0, second.err);
    assert.deepEqual(sent.splice(0), [[206, body.length - half]]);
    assert.deepEqual(portal.asked, ['/trees.csv'], 'the list of datasets is not fetched again');
    const [{ dataset, version }] = JSON.parse(second.out).versions;
    const [namespace, slug] = dataset.split('/');
    const payload = join(root, `namespaces/${namespace}/datasets/${slug}/data/${version}.csv`);
    assert.ok(readFileSync(payload).equals(body));
    assert.deepEqual(
      filesIn(cache).filter((path) => /\.part/.test(path)),
      [],
    );
  });

  it('is not mixed with that of another import of the same source, which is refused meanwhile', async () => {
    const root = await makeRoot();
    const body = Buffer.from(rows('fir'));
    const distribution = [{ downloadURL: `${portal.base}/fir.csv`, mediaType: 'text/csv' }];
    portal.json('/fir.json', { conformsTo: 'dcat', dataset: [{ title: 'Firs', identifier: 'firs', distribution }] });
    let finish = () => {};
    portal.answers.set('/fir.csv', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': body.length });
      response.write(body.subarray(0, 1000));
      finish = () => response.end(body.subarray(1000));
    });
    const source = `${portal.base}/fir.json`;
    const importing = () => type(['import', source, '--to', 'city', '--with-data', '--delay', '0', '--json'], { root });
    const first = importing();
    await stored(join(root, '.catalogue/import'), 1000);
    const second = await importing();
    assert.notEqual(second.exitCode, 0);
    assert.match(second.err, new RegExp(`Another import of ${source} runs: .*Start this one when it has ended`));
    finish();
    const { exitCode, err, out } = await first;
    assert.equal(exitCode, 0, err);
    const [{ dataset, version }] = JSON.parse(out).versions;
    const payload = join(root, 'namespaces', dataset.replace('/', '/datasets/'), 'data', `${version}.csv`);
    assert.ok(readFileSync(payload).equals(body));
    portal.answers.set('/fir.csv', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': body.length }).end(body);
    });
    assert.equal((await importing()).exitCode, 0, 'the lock is released');
  });

  it('is completed after a cut in the same run, also if it is compressed', async () => {
    const text = rows('elm');
    const body = gzipSync(text);
    serveInParts('/elm.csv', body, { coding: 'gzip', limits: [20_000, 10_000], place: join(folder, 'cut') });
    const documents = await openDocuments('cut');
    try {
      const { path, mediaType } = await documents.open(`${portal.base}/elm.csv`);
      assert.equal(readFileSync(path, 'utf8'), text);
      assert.equal(mediaType, 'text/csv');
      const answers = sent.splice(0);
      assert.deepEqual(
        answers.map(([status]) => status),
        [200, 206, 206],
      );
      assert.equal(
        answers.reduce((sum, [, bytes]) => sum + bytes, 0),
        body.length,
      );
    } finally {
      await documents.close();
    }
  });

  it('is asked for once if it arrived as a whole and its coding is broken, and again if it may have broken off', async () => {
    const documents = await openDocuments('broken');
    const whole = gzipSync(rows('ash'));
    const badSum = Buffer.from(whole);
    badSum.writeUInt32LE(1, whole.length - 8);
    let asked = 0;
    const serve = (path: string, bodies: readonly Buffer[], isDelimited: boolean, coding = 'gzip') => {
      asked = 0;
      portal.answers.set(path, ({ socket }, response) => {
        const body = bodies[asked++] ?? Buffer.alloc(0);
        const head = { 'content-encoding': coding, etag: '"1"' };
        if (isDelimited) response.writeHead(200, { ...head, 'content-length': body.length }).end(body);
        // Its end is that of the connection.
        else
          socket.end(
            Buffer.concat([
              Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nConnection: close\r\n\r\n`),
              body,
            ]),
          );
      });
    };
    try {
      for (const [name, body, coding, reason] of [
        ['bad-sum', badSum, 'gzip', /bad-sum: it is sent as gzip, but can't be decoded \(incorrect data check\)/],
        ['short', whole.subarray(0, 1000), 'gzip', /can't be decoded \(unexpected end of file\). The file is broken/],
        ['html', Buffer.from('<html>'), 'br', /it is sent as br, but can't be decoded/],
      ] as const) {
        serve(`/${name}`, [body, body, body, body, body], true, coding);
        await assert.rejects(documents.open(`${portal.base}/${name}`), (error: ValidationError) =>
          reason.test(String(error.fields.source)),
        );
        assert.equal(asked, 1, name);
      }
      serve('/cut', [whole.subarray(0, 1000), whole], false);
      const { path } = await documents.open(`${portal.base}/cut`);
      assert.equal(readFileSync(path, 'utf8'), rows('ash'));
      assert.equal(asked, 2);
      assert.deepEqual(
        readdirSync(dirname(path)).filter((name) => /part|decoded/.test(name)),
        [],
      );
    } finally {
      await documents.close();
    }
  });

  it('is asked for until its last byte is there, if the server sends a part of the rest', async () => {
    const place = join(folder, 'pieces');
    const documents = await openDocuments('pieces');
    const body = Buffer.from(rows('yew')).subarray(0, 1000);
    const asked: (string | undefined)[] = [];
    const serve = (path: string, lastOf: (start: number) => number, whole = '1000') => {
      asked.length = 0;
      portal.answers.set(path, ({ headers: { range } }, response) => {
        asked.push(range);
        const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
        if (start === 0) {
          response.writeHead(200, { etag: '"1"', 'content-length': 1000 });
          if (asked.length > 1) response.end(body);
          else {
            response.write(body.subarray(0, 400));
            stored(place, 400).finally(() => response.destroy());
          }
          return;
        }
        const last = lastOf(start);
        response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${start}-${last}/${whole}` });
        response.end(body.subarray(start, last + 1));
      });
    };
    try {
      serve('/pieces.csv', (start) => Math.min(start + 299, 999));
      const { path } = await documents.open(`${portal.base}/pieces.csv`);
      assert.ok(readFileSync(path).equals(body));
      assert.deepEqual(asked, [undefined, 'bytes=400-', 'bytes=700-']);
      // Nothing says how long it is.
      serve('/unknown.csv', (start) => start + 299, '*');
      const unknown = await documents.open(`${portal.base}/unknown.csv`);
      assert.ok(readFileSync(unknown.path).equals(body));
      assert.deepEqual(asked, [undefined, 'bytes=400-', undefined]);
      serve('/slow.csv', (start) => start);
      await assert.rejects(documents.open(`${portal.base}/slow.csv`), /404 of 1000 bytes arrived \(tried 5 times\)/);
      const parts = readdirSync(place).filter((name) => name.endsWith('.part'));
      assert.equal(parts.length, 1, 'the next run goes on with it');
    } finally {
      await documents.close();
    }
  });

  it('is fetched as a whole if it has changed, if the server sends another range, and if it has no strong validator', async () => {
    const [old, next] = [Buffer.from(rows('old')), Buffer.from(rows('next'))];
    const place = join(folder, 'changed');
    const documents = await openDocuments('changed');
    try {
      serveInParts('/changed.csv', old, { limits: [50_000], place });
      const whole = portal.answers.get('/changed.csv');
      portal.answers.set('/changed.csv', (request, response) => {
        whole?.(request, response);
        serveInParts('/changed.csv', next);
      });
      const changed = await documents.open(`${portal.base}/changed.csv`);
      assert.ok(readFileSync(changed.path).equals(next));
      assert.deepEqual(sent.splice(0), [
        [200, 50_000],
        [200, next.length],
      ]);

      for (const [name, status, headers] of [
        ['other-range', 206, { 'content-range': 'bytes 5-9/10' }],
        ['no-range', 416, {}],
      ] as const) {
        serveInParts(`/${name}.csv`, old, { limits: [50_000], place });
        const inParts = portal.answers.get(`/${name}.csv`);
        portal.answers.set(`/${name}.csv`, (request, response) => {
          if (request.headers.range) response.writeHead(status, headers).end('wrong');
          else inParts?.(request, response);
        });
        const document = await documents.open(`${portal.base}/${name}.csv`);
        assert.ok(readFileSync(document.path).equals(old), name);
        assert.deepEqual(
          sent.splice(0).map(([code]) => code),
          [200, 200],
        );
      }

      // Servers that ignore If-Range send the rest of the new file, and say that it is one.
      const rest = `bytes 50000-${next.length - 1}/${next.length}`;
      const [past, today] = ['Wed, 01 Jan 2025 00:00:00 GMT', 'Thu, 02 Jan 2025 00:00:00 GMT'];
      for (const [name, before, after] of [
        ['other-etag', { etag: '"1"' }, { etag: '"2"' }],
        ['weak-etag', { etag: '"1"' }, { etag: 'W/"1"' }],
        ['other-time', { 'last-modified': past }, { 'last-modified': today }],
        ['time-only', { etag: '"1"', 'last-modified': past }, { 'last-modified': today }],
        ['other-coding', { etag: '"1"' }, { etag: '"1"', 'content-encoding': 'gzip' }],
      ] as [string, Record<string, string>, Record<string, string>][]) {
        const statuses: number[] = [];
        portal.answers.set(`/${name}.csv`, ({ headers: { range } }, response) => {
          statuses.push(range ? 206 : 200);
          if (range) response.writeHead(206, { ...after, 'content-range': rest }).end(next.subarray(50_000));
          else if (statuses.length > 1) response.writeHead(200, after['content-encoding'] ? {} : after).end(next);
          else {
            response.writeHead(200, { ...before, 'content-length': old.length });
            response.write(old.subarray(0, 50_000));
            stored(place, 50_000).finally(() => response.destroy());
          }
        });
        const document = await documents.open(`${portal.base}/${name}.csv`);
        assert.ok(readFileSync(document.path).equals(next), name);
        assert.deepEqual(statuses, [200, 206, 200], name);
      }

      const ranges: (string | undefined)[] = [];
      portal.answers.set('/weak.csv', ({ headers }, response) => {
        ranges.push(headers.range);
        response.writeHead(200, { etag: 'W/"1"', 'content-length': old.length });
        if (ranges.length > 1) response.end(old);
        else response.write(old.subarray(0, 1000), () => response.destroy());
      });
      const weak = await documents.open(`${portal.base}/weak.csv`);
      assert.ok(readFileSync(weak.path).equals(old));
      assert.deepEqual(ranges, [undefined, undefined]);
      assert.deepEqual(
        readdirSync(dirname(weak.path)).filter((name) => /part|decoded/.test(name)),
        [],
      );
    } finally {
      await documents.close();
    }
  });

  it('is not compared by its date with the file to which its redirect leads now', async () => {
    const date = 'Wed, 01 Jan 2025 00:00:00 GMT';
    const [first, second] = [Buffer.from(rows('first')), Buffer.from(rows('second'))];
    const place = join(folder, 'redirect');
    let target = '/first.csv';
    let isCut = true;
    portal.answers.set('/newest.csv', (_, response) => response.writeHead(302, { location: target }).end());
    for (const [path, body] of [
      ['/first.csv', first],
      ['/second.csv', second],
    ] as const)
      portal.answers.set(path, ({ headers }, response) => {
        const from = headers['if-range'] === date ? Number(/\d+/.exec(headers.range ?? '')?.[0]) : 0;
        const rest = { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` };
        if (headers['if-modified-since'] === date) response.writeHead(304).end();
        else if (from) response.writeHead(206, rest).end(body.subarray(from));
        else {
          response.writeHead(200, { 'last-modified': date, 'content-length': body.length });
          if (!isCut) return void response.end(body);
          isCut = false;
          target = '/second.csv';
          response.write(body.subarray(0, 50_000));
          stored(place, 50_000).finally(() => response.destroy());
        }
      });
    for (const [to, expected, unchanged] of [
      ['/first.csv', second, 0],
      ['/second.csv', second, 1],
      ['/first.csv', first, 0],
    ] as const) {
      target = to;
      const documents = await openDocuments('redirect');
      const { path } = await documents.open(`${portal.base}/newest.csv`);
      assert.ok(readFileSync(path).equals(expected));
      assert.equal(documents.counts.unchanged, unchanged);
      await documents.finish();
      await documents.close();
    }
  });
});
