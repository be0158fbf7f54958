/** What `npm pack` makes, installed in an empty folder and used. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, serve, temporaryFolder } from './support/program.ts';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

describe('the package', () => {
  const home = temporaryFolder();
  after(home.remove);
  const program = join(home.path, 'empty', 'node_modules', 'catalogue', 'bin', 'catalogue.js');
  let packed: Packed;

  /** Runs npm, whose settings are those of the one who tests. */
  function npm(folder: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: join(home.path, folder),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  before(() => {
    // A copy, since packing compiles anew, and other tests run what was compiled.
    const texts = ['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
    for (const name of ['bin', 'src', 'test/support', 'bench/support', ...texts])
      cpSync(join(checkout, name), join(home.path, 'checkout', name), { recursive: true });
    symlinkSync(join(checkout, 'node_modules'), join(home.path, 'checkout', 'node_modules'), 'junction');
    [packed] = JSON.parse(npm('checkout', 'pack', '--json', '--pack-destination', '..').replace(/^[^[]*\n(?=\[)/, ''));
    mkdirSync(join(home.path, 'empty'));
    npm('empty', 'install', '--omit=dev', '--prefer-offline', join(home.path, packed.filename));
  });

  it('holds the compiled program, and what people should read', () => {
    const files = packed.files.map(({ path }) => path);
    const kinds = new Set(files.map((path) => path.replace(/^dist\/.*\.js$/, 'dist/*.js')));
    const expected = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/catalogue.js', 'dist/*.js', 'package.json'];
    assert.deepEqual([...kinds].sort(), expected);
    assert.ok(packed.unpackedSize < 2_000_000, `${packed.unpackedSize} bytes`);
  });

  it('runs without what is needed for development', async () => {
    const cwd = home.path;
    const done = async (...args: string[]) => {
      const { exitCode, out, err } = await run(args, { cwd, program });
      assert.equal(exitCode, 0, `${args.join(' ')}: ${err}`);
      return out;
    };
    assert.equal(await done('--version'), `${version}\n`);
    await done('init');
    await done('namespace', 'add', 'parks', '--label', 'Parks department');
    await done('dataset', 'add', 'parks/trees', '--label', 'Trees');
    await done('check', '--deep');
    const server = await serve([], { cwd, program });
    const answer = await fetch(`${server.url}/api/v1/namespaces/parks/datasets/trees/`);
    assert.equal(((await answer.json()) as { label: string }).label, 'Trees');
    const { exitCode, err } = await server.end('SIGTERM');
    assert.deepEqual([exitCode, err], [0, '']);
  });
});
