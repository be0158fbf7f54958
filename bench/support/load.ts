/** Load on a server in another process, by wrk (Debian: apt-get install wrk). */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Requests per second that the server at the URL answers, 32 connections at once. */
export async function requestsPerSecond(url: string, headers: Readonly<Record<string, string>> = {}, seconds = 2) {
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', ['-t1', '-c32', `-d${seconds}s`, ...options, url]);
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout);
  if (failed) throw new Error(`${url}: ${failed[0]}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/** @throws Error that says how to install wrk */
export function needWrk(): void {
  if (spawnSync('wrk', ['--version']).error)
    throw new Error('This benchmark needs wrk (https://github.com/wg/wrk): apt-get install wrk, or brew install wrk.');
}

/** Starts a Node program and waits for the line that says where it listens. */
export async function startProgram(
  args: readonly string[],
): Promise<{ readonly url: string; readonly pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /https?:\/\/[^\s/]+/.exec(line)?.[0];
      if (found) resolve(found);
    });
    exited.then(() => reject(new Error(`${args.join(' ')} ended before it listened.`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Until a server of 10,000 datasets watches all files and has read what changed, which it does for seconds after its first response. */
export const settled = () => new Promise((resolve) => setTimeout(resolve, 15_000));

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** The value below which the share of the numbers lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A port that was free a moment ago, for programs that can't choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
