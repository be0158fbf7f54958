import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run, serve, temporaryFolder } from '../support/program.ts';

/** Writes the address of every module that is loaded to stderr. */
const hooks = `import { writeSync } from 'node:fs';
export async function load(url, context, next) { writeSync(2, 'loaded ' + url + '\\n'); return next(url, context); }`;
const module = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const spy = module(`import { register } from 'node:module'; register(${JSON.stringify(module(hooks))});`);

/** Addresses of the modules that a program with the spy has loaded. */
const loadedIn = (err: string) => [...err.matchAll(/^loaded (file:.*)$/gm)].map(([, url = '']) => url);
const packagesOf = (loaded: readonly string[]) =>
  new Set(loaded.flatMap((url) => /\/node_modules\/([^/]+)/.exec(url)?.slice(1) ?? []));

describe('the start of the program', () => {
  const home = temporaryFolder();
  after(home.remove);

  it('loads no more than it takes to say how it is used', async () => {
    for (const args of [[], ['--help'], ['--version'], ['nonsense'], ['--nonsense']]) {
      const { err } = await run(args, { cwd: home.path, node: ['--import', spy] });
      const loaded = loadedIn(err);
      assert.ok(loaded.some((url) => url.includes('/cli/main.')));
      const packages = packagesOf(loaded);
      // The first two run the sources, where they were not compiled since their last change.
      for (const name of ['tsx', 'esbuild', 'commander']) packages.delete(name);
      assert.deepEqual([...packages], [], args.join(' '));
      const commands = loaded.filter((url) => url.includes('/cli/commands/'));
      assert.deepEqual(commands, [], args.join(' '));
    }
  });

  it('of a server waits for nothing that only uploads and Turtle need', async () => {
    const data = join(home.path, 'data');
    await run(['init', data], { cwd: home.path });
    const server = await serve(['--data', data], { cwd: home.path, node: ['--import', spy] });
    const { err } = await server.end('SIGKILL');
    const packages = packagesOf(loadedIn(err));
    assert.ok(packages.has('koa'), err);
    for (const name of ['koa-body', 'zod', 'formidable', 'n3']) assert.ok(!packages.has(name), name);
  });

  it('of a pull waits for nothing that only rows need', async () => {
    const cwd = home.path;
    await run(['init', 'source'], { cwd });
    const server = await serve(['--data', 'source'], { cwd });
    try {
      assert.equal((await run(['clone', server.url, 'copy'], { cwd })).exitCode, 0);
      const { err } = await run(['pull', '--data', 'copy'], { cwd, node: ['--import', spy] });
      assert.match(err, /^Already up to date\.$/m);
      const packages = packagesOf(loadedIn(err));
      assert.ok(packages.has('undici'), err);
      for (const name of ['papaparse', 'flatbush']) assert.ok(!packages.has(name), name);
    } finally {
      await server.end('SIGTERM');
    }
  });
});
