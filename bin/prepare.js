// Builds dist/ after `npm ci` in a clone, and when npm packs the clone of a git dependency. With --global, npm installs no
// dependencies for that (https://github.com/npm/cli/issues/8440), so they are installed here.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const run = (command) => execSync(command, { stdio: 'inherit' });
if (!existsSync('node_modules')) run('npm ci --ignore-scripts --include=dev --global=false --no-audit --no-fund');
// Without devDependencies (--omit=dev) there is no compiler.
if (existsSync('node_modules/typescript')) run('npm run build');
