/** Results that a page waits for, but not for long. */
import { UnavailableError } from '../catalogue/errors.ts';
import { BadRequestError, ThrottledError } from './errors.ts';
import type { AppContext } from './route.ts';

/** Milliseconds that a page waits for rows which are read for the first time. */
const patience = 1500;

/** Milliseconds that the pages of an app wait for rows: those that become files, until they are complete. */
export const patienceOf = ({ staticExport }: Pick<AppContext, 'staticExport'>): number =>
  staticExport ? Number.POSITIVE_INFINITY : patience;

/** The result, or null if it isn't ready soon. */
export async function soon<T>(result: Promise<T>, milliseconds: number): Promise<T | null> {
  if (milliseconds === Number.POSITIVE_INFINITY) return result;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null);
  });
  result.catch(() => {}); // It may fail after the page is sent.
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** True if a part of a page isn't ready, or the client may not have it made: the page is sent without it, and not kept. */
export const isNotReady = (error: unknown): boolean =>
  error instanceof UnavailableError || error instanceof ThrottledError || error instanceof BadRequestError;
