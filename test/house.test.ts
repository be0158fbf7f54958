/** The habits of the project that neither the compiler nor the linter can hold. The walls between rooms are in biome.json. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Made by the build, from browser/. */
const bundles = 'src/pages/assets/map';
const skipped = ['node_modules', 'dist', 'coverage', '.git', '.catalogue'];

/** Paths of the files in a folder, from the root. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (skipped.includes(entry.name) || path === bundles) return [];
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

interface Import {
  readonly file: string;
  readonly from: string;
  /** Only a type: nothing of it is left when the program runs. */
  readonly isType: boolean;
  /** Loaded when the program gets there. */
  readonly isLazy: boolean;
}

function importsOf(file: string): readonly Import[] {
  const text = read(file).replace(/^\s*(\/?\*|\/\/).*$/gm, '');
  const first = [...text.matchAll(/^(?:import|export)\s(type\s)?(?:[^;'"]*?\sfrom\s)?\s*['"]([^'"]+)['"]/gm)];
  const later = [...text.matchAll(/(typeof )?\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)(\.[A-Z])?/g)];
  return [
    ...first.map(([, type, from = '']) => ({ file, from, isType: type !== undefined, isLazy: false })),
    ...later.map(([, type, from = '', member]) => ({ file, from, isType: Boolean(type ?? member), isLazy: true })),
  ];
}

const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
const isPackage = ({ from }: Import) => !from.startsWith('.') && !from.startsWith('node:');

const program = [...filesIn('bin'), ...filesIn('src')].filter((file) => /\.[jt]sx?$/.test(file));
const imports = program.flatMap(importsOf);
const { dependencies: needed, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
const dependencies = { ...needed, ...optionalDependencies };

describe('the packages', () => {
  const used = new Set(imports.filter((one) => isPackage(one) && !one.isType).map(({ from }) => packageOf(from)));
  // The sources of a checkout run and are bundled with them; the package holds what was compiled.
  for (const name of ['tsx', 'rolldown']) used.delete(name);
  // JSX is compiled to calls of it.
  used.add('preact');
  // The package's own types speak of streams.
  used.add('@types/node');

  it('that the program uses are its dependencies, and all of them are used', () => {
    assert.deepEqual([...used].sort(), Object.keys(dependencies).sort());
  });

  it('that lend only types are declared too', () => {
    const lending = imports.filter((one) => isPackage(one) && one.isType).map(({ from }) => packageOf(from));
    const declared = { ...dependencies, ...devDependencies };
    assert.deepEqual(
      lending.filter(
        (name) => !(name in declared) && !(`@types/${name.replace('@', '').replace('/', '__')}` in declared),
      ),
      [],
    );
  });

  it('are all in the lock file, for every platform', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages),
      ),
    );
    assert.deepEqual(missing, [], '`npm ci` will refuse this lock file');
  });
});

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The files and packages that are loaded with a file. */
function loadedWith(start: string): ReadonlySet<string> {
  const loaded = new Set([start]);
  for (const at of loaded)
    for (const { file, from, isLazy, isType } of imports)
      if (file === at && !isLazy && !isType) loaded.add(from.startsWith('.') ? join(dirname(file), from) : from);
  return loaded;
}

/** What a command needs to say how it is used: small, without packages, and loaded with that command only. */
const light = ['/data/query/parameter-values.ts', '/data/errors.ts', '/catalogue/output-formats.ts'];

describe('the sources', () => {
  it('of a command load other rooms than the model when it runs, not before', () => {
    const early = imports
      .filter(({ file, isLazy, isType }) => file.startsWith('src/cli/') && !isLazy && !isType)
      .filter(({ file, from }) =>
        /^src\/((files|disk|text|data|iceberg|import|remote|sync|pages|standards|server)\/|serve\.ts$)/.test(
          join(dirname(file), from),
        ),
      )
      .filter(({ file, from }) => !(file.startsWith('src/cli/commands/') && light.some((path) => from.endsWith(path))));
    assert.deepEqual(early, []);
  });

  it('of the library load nothing but the model before one of its functions is called', () => {
    const loaded = loadedWith('src/index.ts');
    assert.ok(loaded.has('src/catalogue/iterate.ts'));
    assert.deepEqual(
      [...loaded].filter((path) => !path.startsWith('src/catalogue/') && path !== 'src/index.ts'),
      [],
    );
  });

  it('of a search with facets run in a browser: they load the model, and nothing of Node', () => {
    const loaded = ['listing', 'search', 'facets', 'closest'].flatMap((name) => [
      ...loadedWith(`src/catalogue/${name}.ts`),
    ]);
    assert.ok(loaded.includes('src/catalogue/fold.ts'));
    assert.deepEqual(
      loaded.filter((path) => !path.startsWith('src/catalogue/') && path !== 'fastest-levenshtein'),
      [],
    );
    const usesNode = loaded.filter(
      (path) => path.startsWith('src/') && /\b(process|Buffer|require)[.(]/.test(read(path)),
    );
    assert.deepEqual(usesNode, []);
  });

  it('that read a record load nothing for rows, writes, accounts or following', () => {
    const loaded = [...loadedWith('src/files/file-catalogue.ts')];
    assert.ok(loaded.includes('src/files/reading/read-unit.ts'));
    const rooms =
      /^src\/(data|sync|server)\/|^src\/files\/(accounts|following|records|replica)\/|^src\/files\/transaction/;
    const packages = ['fastest-levenshtein'];
    const others = loaded.filter(
      (one) => !one.startsWith('src/') && !one.startsWith('node:') && !packages.includes(one),
    );
    assert.deepEqual([...loaded.filter((one) => rooms.test(one)), ...others], []);
  });

  it('have one subject a file: none is longer than 300 lines', () => {
    const long = filesIn('src')
      .filter((file) => !file.endsWith('.woff2'))
      .filter((file) => read(file).split('\n').length > 301);
    assert.deepEqual(long, []);
  });

  it('import each other in one direction only, types included', () => {
    const cycles = importCycles(importGraph());
    assert.deepEqual(cycles, [], `These files import each other:\n${cycles.join('\n')}`);
  });

  it('export what another file uses', () => {
    const files = ['bin', 'src', 'browser', 'tools', 'test', 'bench']
      .flatMap(filesIn)
      .filter((file) => /\.[cm]?[jt]sx?$/.test(file));
    const namesIn = new Map(files.map((file) => [file, new Set(read(file).match(/[\w$]+/g))]));
    const exported = files
      .filter((file) => file.startsWith('src/') && file !== 'src/index.ts')
      .flatMap((file) =>
        [...read(file).matchAll(/^export (?:async )?(?:function\*?|const|class) ([\w$]+)/gm)].map(([, name = '']) => ({
          file,
          name,
        })),
      );
    assert.ok(exported.length > 1000);
    const unused = exported.filter(
      ({ file, name }) => !files.some((other) => other !== file && namesIn.get(other)?.has(name)),
    );
    assert.deepEqual(
      unused.map(({ file, name }) => `${file}: ${name}`),
      [],
    );
  });

  it('write to the terminal in one place', () => {
    const writing = filesIn('src').filter((file) =>
      /process\.std(?:out|err)|\} = process;/.test(read(file).replace(/^ \*.*$/gm, '')),
    );
    assert.deepEqual(writing, ['src/cli/context.ts']);
    const printing = filesIn('src').filter((file) => /\bconsole\./.test(read(file).replace(/^ *\*.*$/gm, '')));
    assert.deepEqual(printing, []);
  });

  it('name no place outside of the project', () => {
    const places = new RegExp(
      `(^|[^\\w.~/-])/(${['work', 'home', 'Users'].join('|')})/|\\.\\./(${['shared', '.library'].join('|')})\\b`,
    );
    const naming = filesIn('')
      .filter((file) => !/\.(png|ico|parquet|gz)$/.test(file))
      .filter((file) => places.test(read(file)));
    assert.deepEqual(naming, []);
  });
});

/** Files of src/, each with the files that it imports: at once, later (`import()`), or for types only. As the compiler reads them. */
function importGraph(): ReadonlyMap<string, readonly string[]> {
  const api = new API({ cwd: root });
  try {
    const { program } = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()[0] ?? {};
    const files = filesIn('src').filter((file) => /\.tsx?$/.test(file));
    return new Map(
      files.map((file) => {
        const source = program?.getSourceFile(join(root, file));
        assert.ok(source, `The compiler does not know ${file}`);
        const specifiers = source.imports.map((node) => ('text' in node ? String(node.text) : ''));
        const local = specifiers.filter((specifier) => specifier.startsWith('.'));
        return [file, local.map((specifier) => join(dirname(file), specifier))];
      }),
    );
  } finally {
    api.close();
  }
}

/** The shortest cycle through each file that is part of one, as `a → b → a`; each cycle once. */
function importCycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const cycles = new Map<string, string>();
  for (const start of graph.keys()) {
    const paths = new Map([[start, [start]]]);
    for (const [file, path] of paths)
      for (const next of graph.get(file) ?? []) {
        const key = [...path].sort().join();
        if (next === start && !cycles.has(key)) cycles.set(key, [...path, start].join(' → '));
        if (!paths.has(next)) paths.set(next, [...path, next]);
      }
  }
  return [...cycles.values()];
}

describe('the tests', () => {
  it('are all run: a file in test/ is a test by its name, or a part of one', () => {
    const files = filesIn('test').filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.startsWith('test/fixtures/'));
    const texts = files.map((file) => [file, read(file)] as const);
    const { scripts } = JSON.parse(read('package.json'));
    const orphans = files
      .filter((file) => !file.endsWith('.test.ts') && !JSON.stringify(scripts).includes(file))
      .filter((file) => !texts.some(([other, text]) => other !== file && text.includes(basename(file))));
    assert.deepEqual(orphans, []);
  });

  it('are all found at once: no describe waits for anything (see test/support/async-tracking.js)', () => {
    const files = filesIn('test').filter((file) => file.endsWith('.test.ts'));
    assert.ok(files.length > 500);
    assert.deepEqual(
      files.filter((file) => /(?<!await )\bdescribe\((?:(?!=>)[\s\S])*?\basync\b/.test(read(file))),
      [],
    );
  });

  it('are reported with their places in the sources, though bundled modules run', async () => {
    const { default: report } = await import(new URL('support/reporter.js', import.meta.url).href);
    const message = `${new Error('where').stack}\n`;
    assert.doesNotMatch(message, /house\.test\.ts:/, 'the places are those of the bundle');
    let written = '';
    for await (const text of report([{ type: 'test:stderr', data: { message } }])) written += text;
    assert.match(written, /^Error: where\n.* \(?\S*[\\/]house\.test\.ts:\d+:\d+\)?$/m);
    const [, line] = /house\.test\.ts:(\d+):/.exec(written) ?? [];
    assert.match(read('test/house.test.ts').split('\n')[Number(line) - 1] ?? '', /new Error\('where'\)/);
  });
});
