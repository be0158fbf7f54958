/** A process for threads.test.ts: serves a folder while a thread starts that nobody waits for, and closes the server. Usage: thread-child.ts FOLDER */
import { Worker } from 'node:worker_threads';
import { startServer } from '../../src/serve.ts';

const [folder = ''] = process.argv.slice(2);
const starting = startServer({ folder, host: '127.0.0.1', port: 0 });
new Worker('setInterval(() => {}, 1000)', { eval: true }).unref();
await (await starting).close();
