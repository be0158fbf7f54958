/** What a socket says to bytes as they are: for requests that no client would send. */
import { connect } from 'node:net';

/** Sends the bytes and gives all that comes back until the server closes, or until it says `end`. */
export function raw(base: string, bytes: string | Buffer, end?: (text: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(10_000, () => {
      socket.destroy();
      reject(new Error(`The server neither answered nor closed: ${JSON.stringify(text.slice(0, 300))}`));
    });
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (end?.(text)) done();
    });
    socket.on('end', done);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      text || error.code === 'ECONNRESET' ? done() : reject(error),
    );
  });
}

/** The statuses in what came back. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** A header Link whose references are resolved (RFC 8288, section 3.1). @param url of the response */
export const resolvedLinks = (header: string | null, url: string): string =>
  (header ?? '').replace(/<([^>]*)>(?=;)/g, (_, reference: string) => `<${new URL(reference, url).href}>`);
