/** The log, without secrets: lines for people about problems, or JSON for programs about problems and every request. */
import { escapeKeepingLines } from '../catalogue/printable-text.ts';
import type { AccessEntry } from './access-log.ts';

export type LogFormat = 'text' | 'json';

export interface Log {
  /** A notice, or an error on our side. */
  problem(line: string): void;
  /** Logs a response; undefined if the format has no line for each request. */
  readonly request?: (entry: AccessEntry) => void;
}

/** @param write takes the lines, without their ends */
export async function createServerLog(format: LogFormat, write: (line: string) => void): Promise<Log> {
  if (format === 'text') return { problem: (line) => write(escapeKeepingLines(redactSecrets(line), '    ')) };
  const { pino } = await import('pino');
  const options = { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = pino(options, { write: (line) => write(line.trimEnd()) });
  return {
    problem: (line) => logger.warn(redactSecrets(line)),
    request({ id, method, url, route, status, complete, bytes, milliseconds, viewer, remote }) {
      const ms = Math.round(milliseconds * 100) / 100;
      const line = { id, method, path: redactUrlSecrets(url), route, status, bytes, ms, viewer, remote };
      logger.info(complete ? line : { ...line, cut: true }, 'request');
    },
  };
}

const redacted = '[redacted]';
const secretName = /passw|token|secret|session|csrf|api_?key|signature|credential|authoriz|cookie/i;
// Repetitions that may fail are bounded: the time grows with the length of the text, and not with its square.
const secretInText =
  /((?:passw\w{0,40}|token|secret|session\w{0,40}|csrf\w{0,40}|api_?key|signature|credentials?|authorization|cookie)["']?\s{0,20}[=:]\s{0,20}["']?)(?:(?:token|bearer|jwt|basic)\s{1,20})?[^\s&"',;}]+/gi;
const credentialsInText = /\b(token|bearer|jwt|basic)\s{1,20}[\w.~+/=-]{12,}/gi;
/** The form of our tokens (40 hexadecimal digits), and of keys of sessions (43 of base64url, which no slug is like). */
const ourSecret =
  /(?<![\w-])(?:[0-9a-fA-F]{40}|(?=[\w-]{0,42}\d)(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}[a-z])[\w-]{43})(?![\w-])/;

/** A text in which everything that looks like a password, token or the like is redacted. */
export function redactSecrets(text: string): string {
  return text.replace(secretInText, `$1${redacted}`).replace(credentialsInText, `$1 ${redacted}`);
}

/** Path and query string; segments and values are redacted that look like our tokens, or are named like secrets. */
export function redactUrlSecrets(url: string): string {
  const start = url.indexOf('?');
  const path = start < 0 ? url : url.slice(0, start);
  const shown = path.split('/').map((segment) => (isSecret(segment) ? redacted : segment));
  if (start < 0) return shown.join('/');
  return `${shown.join('/')}?${url
    .slice(start + 1)
    .split('&')
    .map(redactParameter)
    .join('&')}`;
}

function redactParameter(part: string): string {
  const [name = '', ...values] = part.split('=');
  if (isSecret(name)) return redacted;
  return isSecretName(name) || isSecret(values.join('=')) ? `${name}=${redacted}` : part;
}

/** True if a part of a URL looks like one of our secrets, percent-encoded or not. */
function isSecret(part: string): boolean {
  const decoded = part.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return ourSecret.test(part) || ourSecret.test(decoded.replaceAll('+', ' '));
}

function isSecretName(name: string): boolean {
  try {
    return secretName.test(decodeURIComponent(name));
  } catch {
    return true;
  }
}
