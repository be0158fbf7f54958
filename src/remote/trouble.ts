/** What keeps a request from being answered, each in a sentence that says what to do. */
import { UnreachableError } from '../catalogue/errors.ts';

type Say = (host: string, error: Error, protocol: string) => string;

const certificate: Say = (host, { message }) =>
  `The certificate of ${host} isn't trusted (${message}). If it is one of your own, name its authority in the ` +
  'environment: NODE_EXTRA_CA_CERTS=ca.pem';
const notHttp: Say = (host) =>
  `${host} doesn't answer as a web server does: check the port, and whether it is http:// or https://.`;
const cut: Say = (host, _error, protocol) =>
  `The connection to ${host} was cut off. Try again.${protocol === 'http:' ? ' Or is it https://?' : ''}`;
const late: Say = (host) => `${host} takes too long to answer. Try again later.`;
const noRoute: Say = (host) => `There is no way to ${host}: is this machine connected to the network?`;

/** By the codes of Node, OpenSSL and undici. */
const sentences: Readonly<Record<string, Say>> = {
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
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired. Tell those who run it.`,
  EPROTO: notHttp,
};

/**
 * The error for a request that failed.
 * @param base the address of the server
 */
export function troubleWith(base: string, error: unknown): Error {
  const { host, protocol } = new URL(base);
  const [found, code] = cause(error);
  if (code === undefined) return error as Error;
  const say =
    sentences[code] ??
    (/CERT|SIGNATURE|ISSUER/.test(code) ? certificate : /^(ERR_SSL|HPE_)/.test(code) ? notHttp : undefined);
  if (!say) return new UnreachableError(`${host} can't be reached: ${found.message}`, { cause: error });
  return new UnreachableError(say(host, found, protocol), { cause: error });
}

/** The innermost error that has a code; several attempts at once, such as IPv6 and IPv4, come as one error. */
function cause(error: unknown): readonly [Error, string | undefined] {
  let at = error as Error & { code?: string; errors?: readonly Error[] };
  while (at?.errors?.[0] || (at?.cause && !at.code)) at = (at.errors?.[0] ?? at.cause) as typeof at;
  const { code } = at ?? {};
  // undici's parser gives its errors a name, and only some of them a code.
  return [at, typeof code === 'string' ? code : at?.name === 'HTTPParserError' ? 'HPE_' : undefined];
}
