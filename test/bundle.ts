/**
 * Bundles test files with the sources that they import. A process that loads the sources one by one, compiling each, spends
 * more time on that than on most tests.
 *
 * `import.meta.url` stays the address of the file in the checkout, so that fixtures are found; but modules of src/ that start
 * others beside them (threads, processes) find those in the bundle.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const checkout = fileURLToPath(new URL('..', import.meta.url));

/** Modules of src/ that are started as threads and processes. */
const started = [
  'data/worker-thread',
  'data/process-starter-thread',
  'data/ingest/ingest-process',
  'files/git/git-process',
  'files/checking/check-thread',
  'files/reading/large-records-thread',
  'data/query/sort-rows-thread',
  'data/formats/parquet/encode-column',
  'data/difference/compare-rows-thread',
  'server/compress-thread',
  'server/descriptions-thread',
  'data/map/picture-png-thread',
  'files/writing/asides',
  'export/datasets-thread',
  'files/reading/unit-reader-thread',
  'files/reading/read-requests',
];
/** What modules of src/ have that start them. */
const startsOthers = /(?:moduleBeside|extname\(fileURLToPath)\(import\.meta\.url/;
/** Address of a module that a test starts. */
const moduleAddress = /new URL\('([^']+\.ts)', import\.meta\.url\)/g;

/**
 * @param files paths of test files in test/
 * @param folder that the bundle is written to, below the checkout
 * @returns paths of the bundled test files, in the same order
 */
export async function bundleTests(files: readonly string[], folder: string): Promise<string[]> {
  const inputs = [
    ...files.map((path) => join(checkout, 'test', path)),
    ...started.map((name) => join(checkout, 'src', `${name}.ts`)),
  ];
  const nameInBundle = (path: string) =>
    path
      .slice(checkout.length)
      .replaceAll('\\', '/')
      .replace(/\.tsx?$/, '');
  const addressInBundle = (path: string) => pathToFileURL(join(folder, `${nameInBundle(path)}.mjs`)).href;
  const moduleAddresses: Plugin = {
    name: 'module addresses',
    transform: {
      filter: { id: /\.tsx?$/, code: 'import.meta.url' },
      handler(code, path) {
        const own = startsOthers.test(code) ? addressInBundle(path) : pathToFileURL(path).href;
        const changed = code
          .replaceAll(moduleAddress, (_, relative) => {
            const id = join(dirname(path), relative);
            this.emitFile({ type: 'chunk', id, fileName: `${nameInBundle(id)}.mjs` });
            return `new URL(${JSON.stringify(addressInBundle(id))})`;
          })
          .replaceAll('import.meta.url', JSON.stringify(own));
        return { code: changed, map: null };
      },
    },
  };
  const bundle = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(inputs.map((path) => [nameInBundle(path), path])),
    platform: 'node',
    external: (id: string) => /^[^./\0]/.test(id) && !id.startsWith(checkout),
    plugins: [moduleAddresses],
    // Addresses are replaced within their lines, and the lines stay.
    checks: { ineffectiveDynamicImport: false, sourcemapBroken: false },
  });
  await bundle.write({
    dir: folder,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    sourcemap: true,
  });
  await bundle.close();
  return files.map((path) => join(folder, 'test', path.replace(/\.ts$/, '.mjs')));
}
