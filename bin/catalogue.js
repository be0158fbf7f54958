#!/usr/bin/env node
// Runs the compiled program; in a checkout that was not built, its sources.
import { existsSync } from 'node:fs';

const built = existsSync(new URL('../dist/cli/main.js', import.meta.url));
if (!built) (await import('tsx/esm/api')).register();
const [{ main }, { processContext }] = await Promise.all(
  built
    ? [import('../dist/cli/main.js'), import('../dist/cli/context.js')]
    : [import('../src/cli/main.ts'), import('../src/cli/context.ts')],
);
process.exitCode = await main(process.argv.slice(2), processContext());
