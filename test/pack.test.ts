/** What `npm pack` makes, installed in an empty folder and used. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keepInStep } from './e2e/keeping-in-step.ts';
import { examplesIn } from './support/examples.ts';
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
  const program = join(home.path, 'empty', 'node_modules', 'dataset-catalogue', 'bin', 'catalogue.js');
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
    const texts = [
      'package-lock.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'package.json',
      'tsconfig.json',
      'tsconfig.build.json',
    ];
    for (const name of ['bin', 'browser', 'src', 'tools', 'test/support', 'bench/support', ...texts])
      cpSync(join(checkout, name), join(home.path, 'checkout', name), { recursive: true });
    symlinkSync(join(checkout, 'node_modules'), join(home.path, 'checkout', 'node_modules'), 'junction');
    [packed] = JSON.parse(npm('checkout', 'pack', '--json', '--pack-destination', '..').replace(/^[^[]*\n(?=\[)/, ''));
    mkdirSync(join(home.path, 'empty'));
    npm('empty', 'install', '--omit=dev', '--prefer-offline', join(home.path, packed.filename));
  });

  it('holds the compiled program, and what people should read', () => {
    const files = packed.files.map(({ path }) => path);
    const kinds = new Set(
      files.map((path) =>
        path
          .replace(/^dist\/pages\/assets\/.*/, 'dist/pages/assets/*')
          .replace(/^dist\/.*?(\.d\.ts|\.js)$/, 'dist/*$1'),
      ),
    );
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md'];
    assert.deepEqual([...kinds].sort(), [
      ...texts,
      'bin/catalogue.js',
      'dist/*.d.ts',
      'dist/*.js',
      'dist/LICENSES.txt',
      'dist/pages/assets/*',
      'package.json',
    ]);
    assert.ok(packed.unpackedSize < 5_000_000, `${packed.unpackedSize} bytes`);
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

  it('is installed from a clone, a git address and a tarball, as README.md says', async () => {
    const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
    const [, section = ''] = /^## Install the command\n(.*?)^## /ms.exec(readme) ?? [];
    const commands = [...section.matchAll(/^npm (.+)$/gm)].map(([, args = '']) => args.split(' '));
    assert.deepEqual(
      commands.map((args) => [args[0], args.at(-1)]),
      [
        ['install', '.'],
        ['pack', 'git+https://example.org/dataset-catalogue.git'],
        ['install', 'dataset-catalogue-0.1.0.tgz'],
      ],
    );
    // As a clone is: without dependencies and dist/.
    const repository = join(home.path, 'repository');
    cpSync(join(home.path, 'checkout'), repository, {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgSign=false'];
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      [...author, 'commit', '-qm', 'x'],
    ])
      assert.equal(spawnSync('git', args, { cwd: repository }).status, 0);
    mkdirSync(join(home.path, 'from-git'));
    for (const [i, args] of commands.entries()) {
      if (args[0] === 'pack') {
        npm('from-git', 'pack', '--prefer-offline', `git+file://${repository}`);
        continue;
      }
      const prefix = join(home.path, `prefix${i}`);
      mkdirSync(prefix);
      const folder = args.at(-1) === '.' ? 'checkout' : 'from-git';
      npm(folder, ...args.slice(0, -1), '--prefix', prefix, '--prefer-offline', String(args.at(-1)));
      const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/catalogue'), ['--version'], { encoding: 'utf8' });
      assert.deepEqual([stdout, stderr, status], [`${version}\n`, '', 0], args.join(' '));
    }
  });

  it('says in a sentence that it was installed without being built', () => {
    const folder = join(home.path, 'unbuilt');
    cpSync(join(home.path, 'checkout/bin'), join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/catalogue.js')], { encoding: 'utf8' });
    assert.match(stderr, /^error: The program catalogue isn't built\. npm ran no scripts .*--ignore-scripts=false\n$/);
    assert.equal(status, 1);
  });

  it('lets two people pull from and push to a server', async () => {
    await keepInStep(join(home.path, 'step'), program);
  });

  describe('as a library', () => {
    const documents = ['README.md', 'docs/querying.md', 'src/index.ts', 'src/catalogue/iterate.ts'];
    const examples = documents.flatMap((name) =>
      examplesIn(readFileSync(join(checkout, name), 'utf8')).map((example, i) => ({
        name: `${name} ${i + 1}`,
        ...example,
      })),
    );
    const project = join(home.path, 'empty');
    let server: Awaited<ReturnType<typeof serve>>;

    before(async () => {
      const data = join(project, 'catalogue-data');
      cpSync(join(checkout, 'catalogue-data'), data, {
        recursive: true,
        filter: (path) => !path.endsWith('.catalogue'),
      });
      server = await serve(['--data', data], { cwd: project, program });
      const code = (text: string) => text.replaceAll('http://localhost:8000', server.url);
      for (const [i, example] of examples.entries()) writeFileSync(join(project, `${i}.ts`), code(example.code));
      const compilerOptions = {
        target: 'es2022',
        module: 'nodenext',
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        rootDir: '.',
        outDir: 'compiled',
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
    });
    after(() => server.end('SIGTERM'));

    it('has types that a strict program compiles with, and nothing else installed', () => {
      const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [tsc], { cwd: project, encoding: 'utf8' });
      assert.equal(status, 0, stdout);
    });

    for (const [i, { name, expected }] of examples.entries())
      it(`does what the example says: ${name}`, async () => {
        const { exitCode, out, err } = await run([], { cwd: project, program: join(project, 'compiled', `${i}.js`) });
        assert.deepEqual([out.split('\n').slice(0, -1), err, exitCode], [expected, '', 0]);
      });
  });
});
