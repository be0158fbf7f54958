/** A server with the compiled code, in a process of its own. Usage: fork serve.js FOLDER; it sends its URL, and its memory on any message. */
import { startServer } from '../../dist/serve.js';

const log = (line) => console.log(`  ${line}`);
const server = await startServer({ folder: process.argv[2], host: '127.0.0.1', port: 0, log });
process.on('message', () => process.send({ memory: process.memoryUsage().rss / 1e6 }));
process.on('disconnect', () => server.close().then(() => process.exit(0)));
process.send({ url: server.url });
