/** A proxy before a server, at an address of its own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * Starts a proxy, which ends with the test.
 * @param targetOf returns the server to which a request is passed on; '' for 404
 * @returns its address
 */
export async function startProxy(
  t: TestContext,
  targetOf: (incoming: IncomingMessage) => string | Promise<string>,
): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const target = await targetOf(incoming);
    if (target === '') return void outgoing.writeHead(404, { 'Content-Type': 'application/json' }).end('{}');
    const { method, headers, url = '/' } = incoming;
    const onward = request(new URL(url, target), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    // The client may be gone, and the server too.
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
