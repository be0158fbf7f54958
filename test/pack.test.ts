/** The command, installed from a clone as README.md says; and what `npm pack` makes there, installed in an empty folder and used. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkout, copyCheckout, install, installCommands, runNpm } from './support/checkout.ts';
import { examplesIn } from './support/examples.ts';
import { run, serve, temporaryFolder } from './support/program.ts';

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
  const prefix = join(home.path, 'prefix');
  let packed: Packed;

  before(() => {
    const clone = join(home.path, 'checkout');
    copyCheckout(clone);
    mkdirSync(prefix);
    const [fromClone = []] = installCommands();
    install(clone, fromClone, prefix);
    // It is compiled now; install.test.ts packs what isn't.
    [packed] = JSON.parse(runNpm(clone, 'pack', '--ignore-scripts', '--json', '--pack-destination', '..'));
    mkdirSync(join(home.path, 'empty'));
    runNpm(join(home.path, 'empty'), 'install', '--omit=dev', '--prefer-offline', join(home.path, packed.filename));
  });

  it('is the command after it was installed from a clone', () => {
    const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/catalogue'), ['--version'], { encoding: 'utf8' });
    assert.deepEqual([stdout, stderr, status], [`${version}\n`, '', 0]);
  });

  it('holds the compiled program, and what people should read', () => {
    const files = packed.files.map(({ path }) => path);
    const kinds = new Set(
      files.map((path) =>
        path
          .replace(/^dist\/pages\/assets\/.*/, 'dist/pages/assets/*')
          .replace(/^dist\/.*?(\.d\.ts|\.js)$/, 'dist/*$1')
          .replace(/^docs\/[\w-]+\.md$/, 'docs/*.md'),
      ),
    );
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md'];
    assert.deepEqual([...kinds].sort(), [
      ...texts,
      'bin/catalogue.js',
      'deploy/Containerfile',
      'deploy/catalogue.service',
      'deploy/nginx-several-servers.conf',
      'deploy/nginx.conf',
      'dist/*.d.ts',
      'dist/*.js',
      'dist/LICENSES.txt',
      'dist/pages/assets/*',
      'docs/*.md',
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
    const page = await fetch(`${server.url}/docs/filters/`, { headers: { Accept: 'text/html' } });
    assert.match(await page.text(), /<h1>Filters/);
    const { exitCode, err } = await server.end('SIGTERM');
    assert.deepEqual([exitCode, err], [0, '']);
  });

  it('says in a sentence that it was installed without being built', () => {
    const folder = join(home.path, 'unbuilt');
    cpSync(join(home.path, 'checkout/bin'), join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/catalogue.js')], { encoding: 'utf8' });
    assert.match(stderr, /^error: The program catalogue isn't built\. npm ran no scripts .*--ignore-scripts=false\n$/);
    assert.equal(status, 1);
  });

  it('clones a server, and pushes what was changed', async () => {
    const done = async (who: string, words: string, input?: string) => {
      const cwd = join(home.path, who);
      const env = { XDG_CONFIG_HOME: join(home.path, `${who}-config`) };
      const options = { cwd, program, env, ...(input !== undefined && { input }) };
      const { exitCode, out, err } = await run(words.split(' '), options);
      assert.equal(exitCode, 0, `${who}: ${words}: ${err}`);
      return out;
    };
    for (const who of ['host', 'ann']) mkdirSync(join(home.path, who));
    await done('host', 'init --title Springfield');
    await done('host', 'user add ann --staff true');
    await done('host', 'namespace add parks --label Parks');
    writeFileSync(join(home.path, 'host/trees.csv'), 'name,height\noak,12\nelm,9\n');
    await done('host', 'publish trees.csv --to parks/trees --label Trees');
    const token = await done('host', 'token add ann');
    const server = await serve([], { cwd: join(home.path, 'host'), program });
    try {
      await done('ann', `login ${server.url} --token-stdin`, token.trim());
      await done('ann', `clone ${server.url}`);
      assert.match(await done('ann', 'data parks/trees --format csv'), /^elm,9$/m);
      await done('ann', 'dataset edit parks/trees --label Oaks');
      await done('ann', 'push');
      const record = 'catalogue-data/namespaces/parks/datasets/trees/dataset.yaml';
      assert.match(readFileSync(join(home.path, 'host', record), 'utf8'), /^label: Oaks$/m);
    } finally {
      await server.end('SIGTERM');
    }
  });

  describe('as a library', () => {
    const documents = ['docs/library.md', 'docs/querying.md', 'src/index.ts', 'src/catalogue/iterate.ts'];
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
