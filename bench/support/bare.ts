/**
 * The fastest that Node can be: one function that sends bytes that are ready. An answer that a condition belongs to is sent if
 * the request has it, since no server can send 304 without reading If-None-Match. Usage: bare.ts FILE (JSON: answers by URL).
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Recorded {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** Value of If-None-Match. */
  readonly condition?: string;
}

const recorded: Record<string, Recorded> = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const answers = new Map(
  Object.entries(recorded).map(([url, answer]) => [url, { ...answer, body: Buffer.from(answer.body) }]),
);
const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  if (!answer) return void response.writeHead(404).end();
  if (answer.condition !== undefined && request.headers['if-none-match'] !== answer.condition)
    return void response.writeHead(412).end();
  response.writeHead(answer.status, answer.headers as string[]);
  response.end(answer.body.length ? answer.body : undefined);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit(0));
