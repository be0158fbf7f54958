// Bundles the sources into dist/, as few files as a command can be loaded from: see docs/decisions/0059-bundle.md.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const checkout = fileURLToPath(new URL('..', import.meta.url)).replaceAll('\\', '/');
const sources = `${checkout}src/`;

/** Modules that are loaded by their names in dist/: by bin/, by users of the library, as threads and processes, and by tests and benchmarks. */
const entries = [
  'cli/main',
  'cli/context',
  'index',
  'serve',
  'files/folder',
  'files/transaction',
  'files/file-catalogue',
  'files/reading/read-requests',
  'files/reading/large-records-thread',
  'data/query/sort-rows-thread',
  'data/formats/parquet/encode-column',
  'data/difference/compare-rows-thread',
  'export/datasets-thread',
  'data/worker-thread',
  'data/process-starter-thread',
  'server/compress-thread',
  'server/descriptions-thread',
  'data/map/picture-png-thread',
  'files/writing/asides',
  'files/checking/check-thread',
  'data/ingest/ingest-process',
  'files/git/git-process',
];

/** Programs of threads that are ready sooner if they are one small file each, with a copy of the modules that they share with others. */
const ownFiles = ['files/reading/unit-reader-thread'];

/** Packages that almost every command needs. Finding and loading them in node_modules would take as long as running them. */
const bundledPackages = ['commander', 'fastest-levenshtein'];
const isBundled = (id) => bundledPackages.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Modules that are loaded together, each group with all that its modules import and the groups before it don't have. Other
 * modules are divided by who imports them.
 */
const groups = [
  { name: 'model', modules: ['catalogue/iterate', 'catalogue/errors', 'catalogue/parse-ref'] },
  { name: 'command-line', modules: ['cli/main', 'cli/context'] },
  { name: 'folder', modules: ['files/file-catalogue', 'catalogue/filters'] },
  { name: 'lists', modules: ['files/lists'] },
  { name: 'commands', modules: ['cli/commands/dataset', 'cli/output/show', 'cli/verbosity', 'cli/catalogues'] },
];

/** Lets `import.meta.url` of a module be the address that the module would have in dist/ without bundling. */
const moduleAddresses = {
  name: 'module addresses',
  transform: {
    filter: { id: /\.tsx?$/, code: 'import.meta.url' },
    handler(code, id) {
      const path = id.replaceAll('\\', '/').slice(sources.length).replace(/tsx?$/, 'js');
      return { code: code.replaceAll('import.meta.url', `__moduleAddress(${JSON.stringify(path)})`) };
    },
  },
  renderChunk(code, { fileName }) {
    const toRoot = posix.relative(posix.dirname(fileName), '.') || '.';
    return code.replaceAll(
      /__moduleAddress\("([^"]+)"\)/g,
      (_, path) => `new URL("${toRoot}/${path}", import.meta.url).href`,
    );
  },
};

/**
 * Lets commander have Node's modules without a loader of CommonJS, which takes longer to make than the modules to find;
 * and the one that starts programs when it starts one.
 */
const builtinModules = {
  name: 'builtin modules',
  transform: {
    filter: { id: /node_modules\/commander\// },
    handler: (code) => ({
      code: code
        .replace("const childProcess = require('node:child_process');", '')
        .replaceAll('childProcess.', "globalThis.process.getBuiltinModule('node:child_process').")
        .replaceAll(/\brequire\(('node:\w+')\)/g, 'globalThis.process.getBuiltinModule($1)'),
    }),
  },
};

/**
 * Lets the server read the maps of the world from the modules that it sends to browsers: they are a quarter of a megabyte. These
 * stand in dist/pages/assets/map/, and tools/build-browser.js makes them of the same sources.
 */
const basemaps = {
  name: 'base maps',
  resolveId: {
    filter: { id: /\/basemap-\d+m\.ts$/ },
    handler: (id) => ({ id: `basemap:${posix.basename(id, '.ts')}.js`, external: true }),
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll(/"basemap:([\w.-]+)"/g, (_, file) => {
      const toRoot = posix.relative(posix.dirname(fileName), '.') || '.';
      return JSON.stringify(`${toRoot}/pages/assets/map/${file}`);
    }),
};

/** Writes other characters than ASCII as escapes: V8 takes twice the memory for a text with one of them, and decodes it slowly. */
const asciiOnly = {
  name: 'ASCII only',
  generateBundle(_options, chunks) {
    for (const chunk of Object.values(chunks))
      chunk.code = chunk.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
  },
};

const options = {
  cwd: checkout,
  platform: 'node',
  external: (id) => /^[^./\0]/.test(id) && !id.startsWith(checkout) && !isBundled(id),
  plugins: [moduleAddresses, builtinModules, basemaps, asciiOnly],
  // No comment with the path of each module: together they have as many bytes as ten modules.
  experimental: { attachDebugInfo: 'none' },
  // A module may be loaded on demand by one and at once by another.
  checks: { ineffectiveDynamicImport: false },
};
const output = {
  dir: `${checkout}dist`,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  comments: { legal: true, annotation: false, jsdoc: false },
  // A shorter form of the same statements, still one on each line and with the names that a stack trace shows.
  minify: { compress: { keepNames: { function: true, class: true } }, mangle: false, codegen: false },
};
const inputOf = (names) => Object.fromEntries(names.map((name) => [name, `${sources}${name}.ts`]));

for (const name of ownFiles) {
  const bundle = await rolldown({ ...options, input: inputOf([name]) });
  await bundle.write(output);
  await bundle.close();
}
const bundle = await rolldown({ ...options, input: inputOf(entries) });
await bundle.write({
  ...output,
  codeSplitting: {
    groups: groups.map(({ name, modules }, i) => ({
      name,
      test: (id) => modules.some((module) => id.replaceAll('\\', '/') === `${sources}${module}.ts`),
      priority: groups.length - i,
    })),
  },
});
await bundle.close();

cpSync(`${checkout}src/pages/assets`, `${checkout}dist/pages/assets`, { recursive: true });

const licences = bundledPackages.map((name) => {
  const folder = `${checkout}node_modules/${name}/`;
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  return `${name}\n\n${readFileSync(folder + file, 'utf8').trim()}\n`;
});
writeFileSync(`${checkout}dist/LICENSES.txt`, licences.join(`\n${'-'.repeat(72)}\n\n`));
