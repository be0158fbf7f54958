/** A plain web server of a folder, as GitHub Pages is one: a file, or the index.html of a folder; no choice, no parameters. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  ...{ '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml' },
};

/**
 * @param prefix path at which the folder is served
 * @param headers of each response
 * @returns its address, and a function that ends it
 */
export async function serveFiles(folder: string, prefix: string, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = join(
      folder,
      pathname.startsWith(`${prefix}/`) ? decodeURIComponent(pathname.slice(prefix.length)) : '/404',
    );
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() && !path.endsWith('/')) {
      response.writeHead(301, { Location: `${pathname}/` }).end();
      return;
    }
    const file = found?.isDirectory() ? join(path, 'index.html') : path;
    const status = existsSync(file) ? 200 : 404;
    const sent = status === 200 ? file : join(folder, '404.html');
    response.writeHead(status, { ...headers, 'Content-Type': types[extname(sent)] ?? 'application/octet-stream' });
    createReadStream(sent).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`, close };
}
