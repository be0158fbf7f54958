/**
 * Judges every response of the servers in this process by the OpenAPI document: to be imported by a test file, whose run
 * then fails if a path, a status or a body isn't described.
 */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { openApiDocument } from '../../src/server/openapi/document.ts';
import { routes } from '../../src/server/routes.ts';
import { makeContract } from '../openapi/contract.ts';

const contract = makeContract(openApiDocument(routes, settingsFromRecord({}), ''));
const wrong = new Map<string, string>();

interface Started {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

channel('http.server.request.start').subscribe((message) => {
  const { request, response } = message as Started;
  const { method = 'GET', url: path = '' } = request;
  const chunks: Buffer[] = [];
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...parts: unknown[]) => never;
    response[name] = ((chunk: unknown, ...rest: unknown[]) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
      return send(chunk, ...rest);
    }) as never;
  }
  response.once('finish', () => {
    // A form of the pages has the address of its dataset, and is no operation of the API.
    if (!contract.pathOf(path) || /[?&]_edit\b/.test(path)) return;
    const type = String(response.getHeader('content-type') ?? '');
    const bytes = decoded(Buffer.concat(chunks), String(response.getHeader('content-encoding') ?? ''));
    const body =
      bytes.length === 0 ? undefined : /json$/.test(type.split(';')[0] ?? '') ? parsed(bytes) : bytes.toString();
    // A document in a standard has the address of its dataset here, and is described at its own, which Content-Location names.
    const isDocument = response.getHeader('content-location') !== undefined;
    const errors = contract.judge({ method, path, status: response.statusCode, type: isDocument ? '' : type, body });
    if (errors.length) wrong.set(`${method} ${path} ${response.statusCode}`, errors.slice(0, 3).join('; '));
  });
});

function decoded(bytes: Buffer, coding: string): Buffer {
  if (bytes.length === 0) return bytes;
  return coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
}

/** The value of JSON; the text of lines of JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
}

// Not in a hook: those that come after one that fails, and close servers, would not be run.
process.once('exit', () => {
  if (wrong.size === 0) return;
  console.error(
    `The OpenAPI document is wrong about these responses:\n${JSON.stringify(Object.fromEntries(wrong), null, 2)}`,
  );
  process.exitCode = 1;
});
