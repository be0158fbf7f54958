/** The log of a server: what is in it of each request, and what never is. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { redactSecrets, redactUrlSecrets } from '../../src/server/log.ts';
import { until } from '../support/folder.ts';
import { raw } from '../support/raw.ts';
import { served } from '../support/served.ts';

const content = {
  settings: { trust_proxy: true },
  namespaces: { parks: { label: 'Parks' } },
  datasets: { 'parks/trees': { label: 'Trees' } },
  users: { ann: { staff: true } },
};
const dataset = '/api/v1/namespaces/parks/datasets/trees/';
type Line = Record<string, unknown>;

describe('the log as JSON', () => {
  it('has a line for each request, by which it is found again', async (t) => {
    const { base, folder, log } = await served(content, t, { logFormat: 'json' });
    const files = await openFileCatalogue(folder.root);
    const { token } = await files.accounts.addToken('ann');
    await files.close();
    const headers = { 'X-Forwarded-For': '10.0.0.1, 192.0.2.7', 'X-Request-Id': 'edge-1' };
    const lengths: number[] = [];
    for (const [path, init] of [
      [dataset, { headers }],
      [dataset, { headers: { Authorization: `Token ${token}` } }],
      [dataset, { headers: { 'Accept-Encoding': 'identity' } }],
      ['/nothing?x=1', {}],
      [dataset, { method: 'DELETE' }],
    ] as [string, RequestInit][])
      lengths.push((await (await fetch(base + path, init)).text()).length);
    const lines = (await until(() => log.length >= 5 && log)).map((line) => JSON.parse(line) as Line);
    const told = lines.map(({ method, path, route, status, viewer }) => [method, path, route, status, viewer]);
    assert.deepEqual(told, [
      ['GET', dataset, 'Dataset Instance', 200, null],
      ['GET', dataset, 'Dataset Instance', 200, 'ann'],
      ['GET', dataset, 'Dataset Instance', 200, null],
      ['GET', '/nothing?x=1', null, 404, null],
      ['DELETE', dataset, 'Dataset Instance', 401, null],
    ]);
    assert.equal(lines[0]?.id, 'edge-1');
    assert.equal(lines[0]?.remote, '192.0.2.7');
    assert.equal(lines[1]?.remote, '127.0.0.1');
    for (const [i, { id, bytes, ms, level, time }] of lines.entries()) {
      assert.match(String(id), i === 0 ? /^edge-1$/ : /^[0-9a-f-]{36}$/);
      if (i > 1) assert.ok(Number(bytes) > (lengths[i] ?? 0) && Number(bytes) < (lengths[i] ?? 0) + 1500, `${bytes}`);
      assert.ok(Number(ms) >= 0 && Number(ms) < 10_000);
      assert.equal(level, 30);
      assert.ok(!Number.isNaN(Date.parse(String(time))));
    }
  });

  it('has 499 for a request whose client left before a response began, also in the metrics', async (t) => {
    const { base, folder, log } = await served({ ...content, settings: { metrics: true } }, t, { logFormat: 'json' });
    const files = await openFileCatalogue(folder.root);
    const { token } = await files.accounts.addToken('ann');
    await files.close();
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const head = `POST ${dataset}version/ HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Token ${token}\r\nContent-Type: text/csv\r\n`;
    await new Promise<void>(
      (resolve) => void socket.write(`${head}Content-Length: 1000\r\n\r\na,b\n`, () => resolve()),
    );
    await sleep(200);
    socket.destroy();
    const [line = ''] = await until(() => log.length > 0 && log);
    const { method, status, cut } = JSON.parse(line);
    assert.deepEqual([method, status, cut], ['POST', 499, true]);
    const metrics = await (await fetch(`${base}/metrics`)).text();
    assert.match(metrics, /catalogue_requests_total\{[^}]*method="POST",status="499"\} 1/);
  });

  it('names the route of a streamed response', async (t) => {
    const { base, log } = await served(content, t, { logFormat: 'json' });
    for (const path of ['/catalog.ttl', '/data.json']) await (await fetch(base + path)).text();
    const lines = (await until(() => log.length >= 2 && log)).map((line) => JSON.parse(line) as Line);
    assert.deepEqual(
      lines.map(({ route }) => route),
      ['DCAT', 'DCAT-US'],
    );
  });

  it('counts the bytes of each of several answers on a connection', async (t) => {
    const { base, log } = await served(content, t, { logFormat: 'json' });
    const bytes = ['/healthz', '/nothing', '/healthz']
      .map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      .join('');
    const text = await raw(base, bytes, (so) => so.split('HTTP/1.1').length === 4 && so.endsWith('}'));
    const lines = (await until(() => log.length >= 3 && log)).map((line) => JSON.parse(line) as Line);
    assert.equal(
      lines.reduce((sum, line) => sum + Number(line.bytes), 0),
      text.length,
    );
  });

  it('never has what lets anybody in', async (t) => {
    const { base, folder, log } = await served(content, t, { logFormat: 'json' });
    const files = await openFileCatalogue(folder.root);
    const { token } = await files.accounts.addToken('ann');
    await files.accounts.setPassword('ann', 'correct horse battery');
    await files.close();
    const login = await fetch(`${base}/auth/login/`);
    const cookie = login.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const csrf = /csrftoken=([\w-]+)/.exec(cookie)?.[1] ?? '';
    const form = new URLSearchParams({ username: 'ann', password: 'correct horse battery', csrfmiddlewaretoken: csrf });
    const signedIn = await fetch(`${base}/auth/login/`, {
      method: 'POST',
      body: form,
      headers: { cookie },
      redirect: 'manual',
    });
    const session = /sessionid=([\w-]+)/.exec(signedIn.headers.getSetCookie().join())?.[1] ?? '';
    assert.ok(session.length > 20 && csrf.length > 20);
    const obtained = await fetch(`${base}/api/v1/auth/token/obtain/`, { method: 'POST', body: form });
    const fresh = ((await obtained.json()) as { token: string }).token;
    for (const path of [`/?token=${token}`, `/?a=1&access%5ftoken=${token}&password=correct%20horse`, `/?%zz=${token}`])
      await fetch(base + path, { headers: { Authorization: `Bearer ${token}`, cookie: `sessionid=${session}` } });
    await until(() => log.length >= 6);
    for (const secret of [token, fresh, session, csrf, 'correct', 'horse', 'battery'])
      assert.ok(!log.join('\n').includes(secret), secret);
  });
});

describe('the log as text', () => {
  it('is about problems alone', async (t) => {
    const { base, folder, log } = await served(content, t);
    await fetch(base + dataset);
    folder.write('namespaces/parks/namespace.yaml', 'label: [');
    await until(() => log.length > 0);
    assert.deepEqual(
      log.filter((line) => !line.startsWith('namespaces/parks/namespace.yaml:')),
      [],
    );
  });
});

describe('secrets', () => {
  it('are taken out of addresses by the names of parameters', () => {
    assert.equal(redactUrlSecrets('/a/?b=1&c'), '/a/?b=1&c');
    assert.equal(redactUrlSecrets('/a/?b=1&Token=x&c=2'), '/a/?b=1&Token=[redacted]&c=2');
    assert.equal(redactUrlSecrets('/?X-Amz-Signature=x&apikey=y'), '/?X-Amz-Signature=[redacted]&apikey=[redacted]');
  });

  it('are taken out of addresses by their form', () => {
    const token = '0123456789abcdef0123456789abcdef01234567';
    const session = `${'aB3-_'.repeat(8)}xyz`;
    for (const secret of [token, session, token.replaceAll('a', '%61')])
      for (const [url, expected] of [
        [`/a/?q=${secret}`, '/a/?q=[redacted]'],
        [`/a/?x=1&${secret}&y=2`, '/a/?x=1&[redacted]&y=2'],
        [`/a/?q=Token+${secret}`, '/a/?q=[redacted]'],
        [`/a/?q=Token%20${secret}&z`, '/a/?q=[redacted]&z'],
        [`/a/?q=a=${secret}&%zz=1`, '/a/?q=[redacted]&%zz=[redacted]'],
        [`/a/${secret}/b/`, '/a/[redacted]/b/'],
      ] as const)
        assert.equal(redactUrlSecrets(url), expected);
    const harmless = `/a/${'long-name-'.repeat(4)}xyz/?checksum=${token}${token.slice(16)}&since=2024-01-01`;
    assert.equal(redactUrlSecrets(harmless), harmless);
  });

  it('are looked for in time that grows with the text, and not with its square', () => {
    for (const part of [
      'a',
      'token',
      'csrf',
      'passw',
      'session',
      'sessiontoken',
      'token ',
      'bearer ',
      'csrf"',
      ' ',
      '=',
    ])
      redactSecrets(part.repeat(2_000_000 / part.length));
    for (const part of ['a', '0', 'aB3', 'aB3&', '%61', '%', '/', '?', '='])
      redactUrlSecrets(`/?${part.repeat(1_000_000 / part.length)}`);
  });

  it('are taken out of texts', () => {
    for (const text of [
      'Authorization: Token s3cr3t-s3cr3t',
      'authorization: "Bearer s3cr3t-s3cr3t"',
      '{"password":"s3cr3t-s3cr3t"}',
      'password=s3cr3t-s3cr3t&x=1',
      'Cookie: sessionid=s3cr3t-s3cr3t; csrftoken=s3cr3t-s3cr3t',
      'sent Bearer s3cr3t-s3cr3t along',
    ])
      assert.doesNotMatch(redactSecrets(text), /s3cr3t/, text);
    for (const text of [
      'Invalid token.',
      'a/token.yaml:3:1: bad',
      'JWT is a token of some length',
      'label: Basic facts',
    ])
      assert.equal(redactSecrets(text), text);
  });
});
