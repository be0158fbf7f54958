/**
 * Small reads, in a process of its own, so that they don't wait for the clients of other work. Usage: fork small-reads.js;
 * send `{ url, paths, seconds }`; it sends the times of the reads, in ms, one after the other.
 */
import { get } from 'node:http';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const read = (address) =>
  new Promise((resolve, reject) => {
    get(address, { agent: false }, (response) => {
      response.resume().on('end', resolve);
    }).on('error', reject);
  });

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
