/**
 * A server that writes durably for each request, and does nothing else: no lock, no parsing, no rules, no answer from the
 * record. Usage: bare-writes.ts FOLDER; PATCH /<number of the writer>.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bareWrite } from './bare-write.ts';

const [root = ''] = process.argv.slice(2);
const server = createServer((request, response) => {
  request.resume().on('end', async () => {
    await bareWrite(root, Number(request.url?.slice(1)));
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit(0));
