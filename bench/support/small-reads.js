/**
 * Small reads, in a process of its own, so that they don't wait for the clients of other work. Usage: fork small-reads.js;
 * send `{ url, paths, seconds }`; it sends the times of the reads, in ms, one after the other.
 */
import { request } from 'undici';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const read = async (address) => void (await (await request(address)).body.arrayBuffer());

process.on('message', async ({ url, paths, seconds }) => {
  const times = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const path = paths[Math.floor(Math.random() * paths.length)];
    const started = performance.now();
    await read(`${url}${path}`);
    times.push(performance.now() - started);
    await pause(2);
  }
  process.send(times);
});
