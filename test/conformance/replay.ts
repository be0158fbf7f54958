/**
 * Sends recorded exchanges to a server; `judge` says whether what comes back matches.
 *
 *     for (const exchange of singles(loadExchanges()))
 *       console.log(exchange.name, judge(exchange, await send(base, exchange, token), base));
 */
import { request } from 'node:http';
import type { Answer, Exchange } from './exchange.ts';

export * from './exchange.ts';
export { judge, readBody } from './judge.ts';

/** Writes the server's own address and the token in place of `{base_url}`, `{host}` and `{token}`. */
export function fill(text: string, base: string, token = ''): string {
  return text
    .replaceAll('{base_url}', () => base)
    .replaceAll('{host}', () => new URL(base).host)
    .replaceAll('{token}', () => token);
}

/**
 * Sends the request of an exchange as it was recorded: only the headers that it names, besides Host, Connection, the
 * token of `auth` and the body's length; values as UTF-8 bytes; the path as it is written.
 */
export function send(
  base: string,
  exchange: Pick<Exchange, 'request'> & { readonly auth?: string | null },
  token = '',
): Promise<Answer> {
  const { method, path, headers } = exchange.request;
  const { hostname, port, host, pathname } = new URL(base);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const body = bodyOf(exchange.request, base, token);

  // A flat list is sent as it is: nothing added, nothing sorted, and a name keeps its case.
  const lines: string[] = [];
  if (!names.has('host')) lines.push('Host', host);
  if (exchange.auth && !names.has('authorization')) lines.push('Authorization', `Token ${token}`);
  for (const [name, value] of Object.entries(headers)) lines.push(name, inUtf8(fill(value, base, token)));
  if (body || ['POST', 'PUT', 'PATCH'].includes(method)) lines.push('Content-Length', String(body?.length ?? 0));
  lines.push('Connection', 'close');

  return new Promise((resolve, reject) => {
    const asked = request(
      {
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: port || 80,
        method,
        path: pathname.replace(/\/+$/, '') + fill(path, base, token),
        headers: lines,
        agent: false,
        timeout: 20_000,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: pairs(response.rawHeaders),
            raw: Buffer.concat(chunks),
          }),
        );
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`No answer to ${method} ${path} in 20 s.`)));
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Node writes header values as Latin-1: one character for each byte. */
const inUtf8 = (value: string) => Buffer.from(value, 'utf8').toString('latin1');

function bodyOf(asked: Exchange['request'], base: string, token: string): Buffer | undefined {
  if (asked.body_base64 != null) return Buffer.from(asked.body_base64, 'base64');
  if (asked.body == null) return undefined;
  return Buffer.from(fill(typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body), base, token));
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, n) => [raw[2 * n]?.toLowerCase() ?? '', raw[2 * n + 1] ?? '']);
}
