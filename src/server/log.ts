/** The log: lines for people about problems, or JSON for programs about problems and every request. */
import type { Exchange } from './exchange.ts';
import { loggedUrl, withoutSecrets } from './secrets.ts';

export type LogFormat = 'text' | 'json';

export interface Log {
  /** Something worth knowing, or that went wrong on our side. */
  problem(line: string): void;
  /** A request was answered; undefined where nobody wants to know of each. */
  readonly request?: (exchange: Exchange) => void;
}

/**
 * @param write takes the lines, without their ends
 */
export async function openLog(format: LogFormat, write: (line: string) => void): Promise<Log> {
  if (format === 'text') return { problem: (line) => write(withoutSecrets(line)) };
  const { pino } = await import('pino');
  const options = { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = pino(options, { write: (line) => write(line.trimEnd()) });
  return {
    problem: (line) => logger.warn(withoutSecrets(line)),
    request({ id, method, url, route, status, complete, bytes, milliseconds, viewer, remote }) {
      const ms = Math.round(milliseconds * 100) / 100;
      const line = { id, method, path: loggedUrl(url), route, status, bytes, ms, viewer, remote };
      logger.info(complete ? line : { ...line, cut: true }, 'request');
    },
  };
}
