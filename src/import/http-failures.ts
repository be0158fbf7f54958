/** Failures of requests: which of them may pass, what they mean, and how long to wait. */

/** A failure that may pass. */
export class TransientError extends Error {
  /** Milliseconds that the server asks to wait. */
  readonly wait: number | undefined;
  constructor(message: string, wait?: number) {
    super(message);
    this.wait = wait;
  }
}

/** Milliseconds in Retry-After (RFC 9110, section 10.2.3): seconds or a date. */
export function retryAfterOf(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

export function explainConnectionError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no server of this name';
  if (code === 'ECONNREFUSED') return 'no server answers there';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'the connection was cut';
  if (/TIMEOUT/.test(code ?? '')) return 'the server did not answer in time';
  return message;
}
