/**
 * Connections of undici that a server may close while a body waits to be read.
 *
 * undici 7 reads no further while nobody takes the body. If the server closes the connection then, an assertion fails in a
 * listener of the socket, which nobody can catch: the process ends (https://github.com/nodejs/undici/issues/5360; fixed in undici 8,
 * which needs Node 22). So the end of a connection is held back until all that came before it was taken.
 */
import type { Socket } from 'node:net';
import type { buildConnector, Pool } from 'undici';

type ClientFactory = (origin: string | URL, options: Pool.Options) => Pool;

/** Makes the `factory` of an Agent or EnvHttpProxyAgent. @param undici the package, which is loaded when it is needed */
export function makeClientFactory({ Pool, buildConnector }: typeof import('undici')): ClientFactory {
  return (origin, { connect, ...options }) => {
    const connector = typeof connect === 'function' ? connect : buildConnector({ ...connect });
    return new Pool(origin, { ...options, connect: connectorThatHoldsEnd(connector) });
  };
}

const connectorThatHoldsEnd =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error === null && socket !== null) holdEnd(socket);
      callback(...result);
    });

/**
 * Holds back the end of what a socket receives while its reader pauses. undici's parser gives back what it hasn't parsed when it
 * pauses (`unshift`), even if that is nothing, and reads when it goes on (`read()`). Node itself calls `read(0)`.
 */
function holdEnd(socket: Socket): void {
  const { push, read, unshift } = socket;
  let isPaused = false;
  let isEndHeld = false;
  const release = () => {
    if (isPaused || !isEndHeld) return;
    isEndHeld = false;
    push.call(socket, null);
    read.call(socket, 0);
  };
  socket.unshift = (...args) => {
    isPaused = true;
    return unshift.apply(socket, args);
  };
  socket.read = (size) => {
    const chunk = read.call(socket, size);
    if (size === undefined) {
      isPaused = false;
      if (isEndHeld && chunk === null) process.nextTick(release);
    }
    return chunk;
  };
  socket.push = (...args) => {
    if (args[0] !== null) return push.apply(socket, args);
    isEndHeld = true;
    // A parser that doesn't pause reads, and finds nothing more.
    process.nextTick(() => socket.emit('readable'));
    return false;
  };
}
