// Bundles the scripts of the browser into src/pages/assets/map/, from where `npm run build` copies them. Parts that aren't always
// needed, such as the detailed base map, are files of their own, with names that stay.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
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
});
cpSync(at('browser/map.css'), `${outdir}/map.css`);
