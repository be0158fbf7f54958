/** A web server that is no catalogue: it gives everybody the same answer. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { selfSigned } from './self-signed.ts';

/** @returns its address, without a slash at the end */
export async function serveStranger(
  test: TestContext,
  type: string,
  body: string,
  { tls = false } = {},
): Promise<string> {
  const answer: RequestListener = (request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': type }).end(body);
  };
  const server = tls ? createSecureServer(selfSigned, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
