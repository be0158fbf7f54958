// Bundles the scripts of the browser into src/pages/assets/map/, from where `npm run build` copies them. Parts that aren't always
// needed, such as the detailed base map, are files of their own, with names that stay.
import { cpSync, readFileSync, rmSync } from 'node:fs';
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
await build({
  entryPoints: [at('browser/map-start.ts')],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  chunkNames: '[name]',
  legalComments: 'none',
  drop: ['console'],
  logLevel: 'warning',
  plugins: [withoutBenchmark],
});
cpSync(at('browser/map.css'), `${outdir}/map.css`);
