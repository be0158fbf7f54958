/** nginx as a process of a test. Without it, tests are skipped, unless they run in continuous integration. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './folder.ts';

const installed = spawnSync('nginx', ['-v']).error === undefined;
export const withoutNginx = !installed && !process.env.CI && 'nginx is not installed (Debian: nginx-light)';

/**
 * Starts nginx, and waits until it answers.
 * @param folder path of a folder for its files
 * @param snippet directives of the http block
 * @param address an address that it answers
 * @returns a function that ends it
 */
export async function startNginx(folder: string, snippet: string, address: string | URL): Promise<() => Promise<void>> {
  mkdirSync(folder, { recursive: true });
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  // Its workers read temporary folders, which are their owner's alone.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const conf = `${user} daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${own.join(' ')}\n${snippet}\n}`;
  writeFileSync(join(folder, 'nginx.conf'), conf);
  const nginx: ChildProcess = spawn('nginx', ['-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`]);
  const ended = once(nginx, 'exit');
  const failed = ended.then(() => {
    throw new Error(`nginx ended: ${readFileSync(`${folder}/error.log`, 'utf8')}`);
  });
  await Promise.race([failed, until(() => fetch(address).then(({ ok }) => ok))]);
  failed.catch(() => {});
  return async () => {
    nginx.kill('SIGQUIT');
    await ended;
  };
}
