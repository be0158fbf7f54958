/** Errors of connections, each as a sentence that says what to do. */
import { UnreachableError } from '../catalogue/errors.ts';

type Message = (host: string, error: Error, protocol: string) => string;

const certificate: Message = (host, { message }) =>
  `The certificate of ${host} isn't trusted (${message}). If you have a certificate authority of your own, name its ` +
  'file in the environment: NODE_EXTRA_CA_CERTS=ca.pem';
const notHttp: Message = (host) => `${host} doesn't speak HTTP: check the port, and whether it is http:// or https://.`;
const cut: Message = (host, _error, protocol) =>
  `The connection to ${host} was cut off. Try again.${protocol === 'http:' ? ' Or is it https://?' : ''}`;
const damaged: Message = (host, { message }) =>
  `The answer of ${host} can't be decompressed (${message}). Try again later.`;
const late: Message = (host) => `${host} takes too long to answer. Try again later.`;
const noRoute: Message = (host) => `${host} can't be reached: is this machine connected to the network?`;

/** By error codes of Node, OpenSSL and undici. */
const messages: Readonly<Record<string, Message>> = {
  ECONNREFUSED: (host) => `Nobody answers at ${host}: is the server running, and is that its port?`,
  ENOTFOUND: (host) => `There is no host ${host.replace(/:\d+$/, '')}: check the address.`,
  EAI_AGAIN: (host) =>
    `The name ${host.replace(/:\d+$/, '')} can't be looked up: is this machine connected to the network?`,
  ENETUNREACH: noRoute,
  EHOSTUNREACH: noRoute,
  ENETDOWN: noRoute,
  EHOSTDOWN: noRoute,
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_REQ_RETRY: cut,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: cut,
  UND_ERR_ABORTED: cut,
  ETIMEDOUT: late,
  UND_ERR_CONNECT_TIMEOUT: late,
  UND_ERR_HEADERS_TIMEOUT: late,
  UND_ERR_BODY_TIMEOUT: late,
  ERR_TLS_CERT_ALTNAME_INVALID: (host, { message }) => `The certificate is not one of ${host}: ${message}`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired. Tell its administrators.`,
  EPROTO: notHttp,
};

/**
 * The error for a request that got no response, or only a part of one: UnreachableError for a system error of the connection.
 * @param base the address of the server
 */
export function connectionError(base: string, error: unknown): Error {
  const { host, protocol } = new URL(base);
  const [found, code] = innermost(error);
  if (code === undefined) return error as Error;
  // Of the file that is sent: it can't be opened or read (ENOENT, EACCES, EIO).
  if ('path' in found) return found;
  const message =
    messages[code] ??
    (/^Z_/.test(code)
      ? damaged
      : /CERT|SIGNATURE|ISSUER/.test(code)
        ? certificate
        : /^(ERR_SSL|HPE_)/.test(code)
          ? notHttp
          : undefined);
  if (!message) return new UnreachableError(`${host} can't be reached: ${found.message}`, { cause: error });
  return new UnreachableError(message(host, found, protocol), { cause: error });
}

/** The innermost error, with its code. Parallel attempts, such as IPv6 and IPv4, are one error with several inside. */
function innermost(error: unknown): readonly [Error, string | undefined] {
  let at = error as Error & { code?: string; errors?: readonly Error[] };
  while (at?.errors?.[0] || (at?.cause && !at.code)) at = (at.errors?.[0] ?? at.cause) as typeof at;
  const { code } = at ?? {};
  // Errors of undici's parser have a name, and only some have a code.
  return [at, typeof code === 'string' ? code : at?.name === 'HTTPParserError' ? 'HPE_' : undefined];
}
