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
export async function openLog(format: LogFormat, write: (line: string) => void): Promise<Log> {
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
const secretInText =
  /((?:passw\w*|\w*token|\w*secret|\w*session\w*|csrf\w*|api_?key|signature|credentials?|authorization|(?:set-)?cookie)["']?\s*[=:]\s*["']?)(?:(?:token|bearer|jwt|basic)\s+)?[^\s&"',;}]+/gi;
const credentialsInText = /\b(token|bearer|jwt|basic)\s+[\w.~+/=-]{12,}/gi;

/** A text in which everything that looks like a password, token or the like is redacted. */
export function redactSecrets(text: string): string {
  return text.replace(secretInText, `$1${redacted}`).replace(credentialsInText, `$1 ${redacted}`);
}

/** Path and query string, the values of parameters redacted that are named like secrets. */
export function redactUrlSecrets(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const parts = url.slice(start + 1).split('&');
  const shown = parts.map((part) => (isSecret(part) ? `${part.split('=')[0]}=${redacted}` : part));
  return url.slice(0, start + 1) + shown.join('&');
}

function isSecret(part: string): boolean {
  const name = part.split('=')[0] ?? '';
  try {
    return secretName.test(decodeURIComponent(name));
  } catch {
    return true;
  }
}
