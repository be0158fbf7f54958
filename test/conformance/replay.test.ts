/** The exchanges are whole, and are sent as they were recorded. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { exchanges, named, recorded } from './recorded.ts';
import { type Exchange, fill, judge, send, sequences, singles } from './replay.ts';

describe('the recorded exchanges', () => {
  it('are all there', () => {
    assert.equal(exchanges.length, 336);
    assert.equal(new Set(exchanges.map(({ group, name }) => `${group}/${name}`)).size, 336);
  });

  it('stand alone or are steps of a scenario, in order', () => {
    const scenarios = [...sequences(exchanges).values()];
    assert.equal(singles(exchanges).length + scenarios.flat().length, 336);
    for (const steps of scenarios)
      assert.deepEqual(
        steps.map(({ step }) => step),
        steps.map((_, n) => n + 1),
      );
  });
});

describe('send and judge, against a server that answers as recorded', () => {
  let current: Exchange | undefined;
  let asked: IncomingMessage | undefined;
  let askedBody = Buffer.alloc(0);
  let address = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    [asked, askedBody] = [request, Buffer.concat(chunks)];
    assert.ok(current);
    const answer = recorded(current, address);
    response.writeHead(answer.status, answer.headers.flat());
    response.end(answer.raw);
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('finds no difference in any of them', async () => {
    for (const exchange of exchanges) {
      current = exchange;
      const answer = await send(address, exchange, 'TOKEN');
      assert.deepEqual(judge(exchange, answer, address), [], `${exchange.group}/${exchange.name}`);
    }
  });

  it('sends each request as it was recorded, and no header more', async () => {
    const host = address.slice('http://'.length);
    for (const exchange of exchanges) {
      current = exchange;
      await send(address, exchange, 'TOKEN');
      const { method, path, headers, body, body_base64 } = exchange.request;
      const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
      const bytes = body_base64 ? Buffer.from(body_base64, 'base64') : Buffer.from(fill(text, address, 'TOKEN'));
      const hasBody = body != null || body_base64 != null;
      const name = `${exchange.group}/${exchange.name}`;
      assert.equal(asked?.method, method, name);
      assert.equal(asked?.url, fill(path, address), name);
      assert.deepEqual(askedBody, hasBody ? bytes : Buffer.alloc(0), name);
      assert.deepEqual(
        asked?.rawHeaders,
        [
          ...('Host' in headers ? [] : ['Host', host]),
          ...(exchange.auth ? ['Authorization', 'Token TOKEN'] : []),
          // HTTP has no blanks at the ends of a header's value: the parser of this server has cut them off.
          ...Object.entries(headers).flatMap(([key, value]) => [key, fill(value, address, 'TOKEN').trim()]),
          ...(hasBody || ['POST', 'PUT', 'PATCH'].includes(method)
            ? ['Content-Length', String(hasBody ? bytes.length : 0)]
            : []),
          'Connection',
          'close',
        ],
        name,
      );
    }
  });

  it('sends header values as UTF-8, and a path as it is written', async () => {
    current = named('root');
    const path = '/api/v1/?geometry=Point([1,2]).buffer(0.5)&a=%2e%zz';
    await send(address, { request: { method: 'GET', path, headers: { 'X-Word': 'é' } } });
    assert.equal(asked?.url, path);
    assert.equal(Buffer.from(asked?.headers['x-word'] as string, 'latin1').toString('utf8'), 'é');
  });
});
