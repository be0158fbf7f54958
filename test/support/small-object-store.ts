/**
 * A small S3 server in memory, for states that the real one can't be brought into: uploads of any age, lists of several pages, and
 * responses that are still open. It checks no signatures, and has no uploads in parts.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';

/** An upload that was never finished. */
export interface Unfinished {
  readonly key: string;
  readonly initiated: Date;
}

export interface SmallStore {
  /** Settings under `payloads` for a folder in the bucket; '' is its root. */
  settings(place: string): { readonly store: string; readonly endpoint: string; readonly above: string };
  readonly bucket: string;
  readonly endpoint: string;
  /** Bytes of the objects, by key. */
  readonly objects: Map<string, Buffer>;
  /** In the order of their keys; null if the server knows no request for a list of them. */
  uploads: readonly Unfinished[] | null;
  /** Uploads in one page of their list. */
  pageSize: number;
  /** Responses with the bytes of an object that aren't sent to the end. */
  readonly open: ReadonlySet<ServerResponse>;
  /** Number of connections since the start. */
  connections: number;
}

const bucket = 'lake';
/** All objects have this age. */
const modified = new Date('2024-01-31T12:00:00Z');

/** Starts the server, which ends with the tests of the file. Keys are in the environment from then on. */
export async function startSmallObjectStore(): Promise<SmallStore> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => void answer(store, open, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store: SmallStore = {
    settings: (place) => ({ store: `s3://${bucket}/${place}`.replace(/\/$/, ''), endpoint, above: '1 kB' }),
    bucket,
    endpoint,
    objects: new Map(),
    uploads: [],
    pageSize: 1000,
    open,
    connections: 0,
  };
  server.on('connection', () => store.connections++);
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return store;
}

async function answer(
  store: SmallStore,
  open: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', store.endpoint);
  const key = decodeURIComponent(pathname).replace(`/${bucket}`, '').replace(/^\//, '');
  const body = await buffer(request);
  const sendXml = (text: string) => response.writeHead(200, { 'Content-Type': 'application/xml' }).end(text);
  if (key === '' && searchParams.has('uploads') && store.uploads === null) {
    response.writeHead(501, { 'Content-Type': 'application/xml' });
    return void response.end('<Error><Code>NotImplemented</Code><Message>Not implemented.</Message></Error>');
  }
  if (key === '')
    return void sendXml(searchParams.has('uploads') ? uploadsPage(store, searchParams) : list(store, searchParams));
  const object = store.objects.get(key);
  switch (request.method) {
    case 'PUT':
      store.objects.set(key, body);
      return void response.writeHead(200, { ETag: '"1"' }).end();
    case 'DELETE':
      if (searchParams.has('uploadId')) store.uploads = (store.uploads ?? []).filter((upload) => upload.key !== key);
      else store.objects.delete(key);
      return void response.writeHead(204).end();
  }
  if (object === undefined) {
    response.writeHead(404, { 'Content-Type': 'application/xml' });
    return void response.end(request.method === 'HEAD' ? undefined : '<Error><Code>NoSuchKey</Code></Error>');
  }
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const part = start === undefined ? object : object.subarray(Number(start), Number(end) + 1);
  response.writeHead(start === undefined ? 200 : 206, {
    'Content-Length': part.length,
    'Last-Modified': modified.toUTCString(),
    ...(start !== undefined && { 'Content-Range': `bytes ${start}-${end}/${object.length}` }),
  });
  if (request.method === 'HEAD') return void response.end();
  open.add(response);
  response.on('close', () => open.delete(response)).end(part);
}

function list({ objects }: SmallStore, parameters: URLSearchParams): string {
  const prefix = parameters.get('prefix') ?? '';
  const entries = [...objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  const contents = entries.map(
    ([key, { length }]) =>
      `<Contents><Key>${key}</Key><Size>${length}</Size><LastModified>${modified.toISOString()}</LastModified></Contents>`,
  );
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
}

/** A page of the unfinished uploads behind a key (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html). */
function uploadsPage({ uploads, pageSize }: SmallStore, parameters: URLSearchParams): string {
  const [prefix, marker] = [parameters.get('prefix') ?? '', parameters.get('key-marker') ?? ''];
  const all = (uploads ?? []).filter(({ key }) => key.startsWith(prefix) && key > marker);
  const page = all.slice(0, pageSize);
  const items = page.map(
    ({ key, initiated }) =>
      `<Upload><Key>${key}</Key><UploadId>of-${key}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
  );
  const last = page.at(-1)?.key ?? '';
  const next =
    all.length > page.length
      ? `<NextKeyMarker>${last}</NextKeyMarker><NextUploadIdMarker>of-${last}</NextUploadIdMarker>`
      : '';
  return `<ListMultipartUploadsResult><IsTruncated>${next !== ''}</IsTruncated>${next}${items.join('')}</ListMultipartUploadsResult>`;
}
