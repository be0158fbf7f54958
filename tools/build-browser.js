// Bundles the scripts of the browser into src/pages/assets/map/, from where `npm run build` copies them. Parts that aren't always
// needed, such as the detailed base map, are files of their own, with names that stay.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
/**
 * OpenLayers measures at the first click how fast pixels are read, which blocks the page for 150 ms and makes Chromium warn in the
 * console. The answer is known: without a GPU, as here, `willReadFrequently` is faster.
 */
const withoutBenchmark = {
  name: 'without-benchmark',
  setup(bundler) {
    bundler.onLoad({ filter: /ol[/\\]render[/\\]canvas[/\\]ExecutorGroup\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text
        .replace('let willReadFrequently = false;', 'let willReadFrequently = true;')
        .replace('let canvasReadsBenchmarked = false;', 'let canvasReadsBenchmarked = true;');
      if (contents.length !== text.length - 2) throw new Error(`${path} is not what this build replaces parts of.`);
      return { contents, loader: 'js' };
    });
  },
};

const outdir = at('src/pages/assets/map');
rmSync(outdir, { recursive: true, force: true });
const common = {
  outdir,
  bundle: true,
  metafile: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};
const { metafile } = await build({
  ...common,
  entryPoints: [at('browser/map-start.ts')],
  splitting: true,
  chunkNames: '[name]',
  drop: ['console'],
  plugins: [withoutBenchmark],
});
// The search and the rows of static exports: the server's own search and queries, and the pages that show them, which both have in
// one file. Nothing of Node but `buffer`.
const pages = await build({
  ...common,
  entryPoints: [at('browser/search.ts'), at('browser/rows.ts')],
  splitting: true,
  chunkNames: 'pages-[hash]',
  inject: [at('browser/node-buffer.ts')],
  alias: {
    'node:buffer': at('browser/node-buffer.ts'),
    // What needs them is refused: the policy of the pages allows no WebAssembly.
    'geos-wasm': at('browser/without-geos.ts'),
    'geographiclib-geodesic': at('browser/without-geos.ts'),
  },
});
cpSync(at('browser/map.css'), `${outdir}/map.css`);

// Their licences ask to go along.
function writeLicences(inputs, name) {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  const licences = [...packages].sort().map((name) => {
    const folder = at(`node_modules/${name}/`);
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const { license } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
    if (!file && !license) throw new Error(`${name} doesn't say its licence.`);
    return `${name}\n\n${file ? readFileSync(folder + file, 'utf8').trim() : license}\n`;
  });
  writeFileSync(`${outdir}/${name}`, licences.join(`${'-'.repeat(72)}\n`));
}
writeLicences(metafile.inputs, 'LICENSES.txt');
writeLicences(pages.metafile.inputs, 'pages-LICENSES.txt');
