#!/usr/bin/env node
// Runs the compiled program; in a checkout that was not compiled since its last change, the sources.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

function isCompiled() {
  if (!existsSync(path('node_modules/tsx'))) return true; // No checkout, or one that can run nothing else.
  const compiled = statSync(path('dist/cli/main.js'), { throwIfNoEntry: false });
  if (!compiled) return false;
  const isOlder = (file) => !(statSync(file, { throwIfNoEntry: false })?.mtimeMs > compiled.mtimeMs);
  // Node's own recursion, and an address of each file, would take several times as long.
  const isFolderOlder = (folder) =>
    isOlder(folder) &&
    readdirSync(folder, { withFileTypes: true }).every((entry) =>
      entry.isDirectory() ? isFolderOlder(`${folder}/${entry.name}`) : isOlder(`${folder}/${entry.name}`),
    );
  return isFolderOlder(path('src'));
}

const compiled = isCompiled();
if (compiled && !existsSync(path('dist/cli/main.js'))) {
  const how = existsSync(path('src'))
    ? `Run "npm ci" in ${path('.')}`
    : 'npm ran no scripts when it installed it. Install it again with: npm install --ignore-scripts=false';
  process.stderr.write(`error: The program catalogue isn't built. ${how}\n`);
  process.exit(1);
}
// Pages are JSX, which tsx compiles as tsconfig.json says; by default it reads the one of the current folder.
if (!compiled) (await import('tsx/esm/api')).register({ tsconfig: path('tsconfig.json') });
const [{ main }, { processContext }] = await Promise.all(
  compiled
    ? [import('../dist/cli/main.js'), import('../dist/cli/context.js')]
    : [import('../src/cli/main.ts'), import('../src/cli/context.ts')],
);
process.exitCode = await main(process.argv.slice(2), processContext());
