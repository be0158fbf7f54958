/** A real S3 server for tests: OpenStack Swift from Debian, in one process; and a proxy in front of it that breaks. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { S3Client } from '@aws-sdk/client-s3';
import { temporaryParent } from './folder.ts';

const python = '/usr/bin/python3';
const bucket = 'payloads';

/** The reason to skip tests that need the server; false if it is installed. */
export const missingObjectStore: string | false =
  existsSync(python) &&
  spawnSync(python, ['-c', 'import swift.proxy.server, swift.obj.server, swift.container.server']).status === 0
    ? false
    : 'needs Swift: apt-get install swift-proxy swift-account swift-container swift-object';

/** What the proxy does with a request; by default it passes it on. */
export type Fault = (request: IncomingMessage) =>
  | undefined
  /** An answer of the proxy's own. */
  | { readonly status: number; readonly code?: string }
  /** Passes so many bytes of the response on, and then cuts the connection or is silent. */
  | { readonly after: number; readonly end: 'cut' | 'silence' }
  /** Changes the last byte of the response. */
  | 'wrong';

export interface TestStore {
  /** Settings under `payloads` for a folder of its own in the bucket. @param place name of the folder */
  settings(place: string): { readonly store: string; readonly endpoint: string; readonly above: string };
  readonly client: S3Client;
  readonly bucket: string;
  /** Requests that went through the proxy, as `GET /payloads/…`. */
  readonly requests: string[];
  /** What goes wrong from now on; none by default. */
  fault: Fault | undefined;
}

/**
 * Starts the server. The keys are in the environment from then on.
 * @param atEnd is given the function that ends it; by default, the tests of this file end it
 */
export async function startObjectStore(atEnd: (stop: () => Promise<void>) => void = after): Promise<TestStore> {
  const folder = mkdtempSync(join(temporaryParent(), 'catalogue-swift-'));
  const script = fileURLToPath(new URL('object-store.py', import.meta.url));
  const swift = spawn(python, [script, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
  const port = await portOf(swift);
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test:tester',
    AWS_SECRET_ACCESS_KEY: 'testing',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  });
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const direct = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true };
  const client = new S3Client({ ...direct, requestChecksumCalculation: 'WHEN_REQUIRED' });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const state: Pick<TestStore, 'requests' | 'fault'> = { requests: [], fault: undefined };
  const proxy = createServer((incoming, outgoing) => passOn(state, port, incoming, outgoing)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  atEnd(async () => {
    client.destroy();
    proxy.closeAllConnections();
    proxy.close();
    swift.stdin?.end();
    if (swift.exitCode === null) await once(swift, 'exit');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(state, {
    client,
    bucket,
    settings: (place: string) => ({ store: `s3://${bucket}/${place}`, endpoint, above: '1 kB' }),
  });
}

async function portOf(swift: ChildProcess): Promise<number> {
  const ended = once(swift, 'exit').then(([code]) => {
    throw new Error(`Swift ended with ${code}.`);
  });
  const [line] = await Promise.race([once(swift.stdout as NodeJS.ReadableStream, 'data'), ended]);
  ended.catch(() => {});
  return Number(line);
}

function passOn(
  state: Pick<TestStore, 'requests' | 'fault'>,
  port: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const { method = 'GET', url = '/', headers } = incoming;
  state.requests.push(`${method} ${url}`);
  const fault = state.fault?.(incoming);
  if (typeof fault === 'object' && 'status' in fault) {
    incoming.resume();
    const text = `<?xml version="1.0"?><Error><Code>${fault.code ?? 'InternalError'}</Code><Message>No.</Message></Error>`;
    outgoing.writeHead(fault.status, { 'Content-Type': 'application/xml' }).end(method === 'HEAD' ? undefined : text);
    return;
  }
  // The signature is of the Host header that the client sent.
  const upstream = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.on('error', () => outgoing.destroy());
    if (fault === undefined) answer.pipe(outgoing);
    else sendFaultily(answer, outgoing, fault as Exclude<typeof fault, { status: number }>);
  });
  // Swift sends a body after HEAD, too.
  upstream.on('error', () => outgoing.headersSent || outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

function sendFaultily(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  fault: 'wrong' | { readonly after: number; readonly end: 'cut' | 'silence' },
): void {
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.on('end', () => {
    const bytes = Buffer.concat(chunks);
    if (fault === 'wrong') {
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      outgoing.end(bytes);
    } else
      outgoing.write(bytes.subarray(0, fault.after), () => {
        if (fault.end === 'cut') outgoing.destroy();
      });
  });
}
