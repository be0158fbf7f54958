/** What stands between a program and a server, and breaks: it lets so many bytes through, and then cuts every connection. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface CuttingProxy {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Lets so many bytes through from now on, in both directions together. */
  allow(bytes: number): void;
  close(): Promise<void>;
}

/** @param target address of the server */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  let left = Number.POSITIVE_INFINITY;
  const open = new Set<Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const through = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => {
      const part = bytes.subarray(0, Math.max(0, left));
      left -= bytes.length;
      // What is let through goes out before the end.
      to.write(part, () => {
        if (left <= 0) cut();
      });
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  };
  const server: Server = createServer((client) => {
    client.on('error', () => {});
    if (left <= 0) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) open.add(socket);
    through(client, upstream);
    through(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow(bytes) {
      left = bytes;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
