import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, temporaryFolder } from '../support/program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));

/** Writes the address of every module that is loaded to stderr. */
const hooks = `import { writeSync } from 'node:fs';
export async function load(url, context, next) { writeSync(2, 'loaded ' + url + '\\n'); return next(url, context); }`;
const module = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const spy = module(`import { register } from 'node:module'; register(${JSON.stringify(module(hooks))});`);

describe('the start of the program', () => {
  const home = temporaryFolder();
  after(home.remove);

  it('loads no more than it takes to say how it is used', async () => {
    for (const args of [[], ['--help'], ['--version'], ['nonsense'], ['--nonsense']]) {
      const { err } = await run(args, { cwd: home.path, node: ['--import', spy] });
      const loaded = [...err.matchAll(/^loaded (file:.*)$/gm)].map(([, url = '']) => url);
      assert.ok(loaded.some((url) => url.includes('/cli/main.')));
      const packages = new Set(loaded.flatMap((url) => /\/node_modules\/([^/]+)/.exec(url)?.slice(1) ?? []));
      // tsx is there where the checkout wasn't built.
      packages.delete('tsx');
      assert.deepEqual([...packages], ['commander'], args.join(' '));
      const commands = loaded.filter((url) => url.includes('/cli/commands/'));
      assert.deepEqual(commands, [], args.join(' '));
    }
  });

  it('runs the sources in a checkout that was not built', async () => {
    const copy = join(home.path, 'checkout');
    mkdirSync(copy);
    for (const name of ['bin', 'src', 'package.json', 'tsconfig.json'])
      cpSync(join(checkout, name), join(copy, name), { recursive: true });
    symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'), 'junction');
    const program = join(copy, 'bin', 'catalogue.js');
    const { exitCode, out, err } = await run(['--version'], { cwd: home.path, program });
    assert.deepEqual([exitCode, out, err], [0, `${version}\n`, '']);
    const made = await run(['init', 'data'], { cwd: home.path, program });
    assert.equal(made.exitCode, 0, made.err);
  });
});
