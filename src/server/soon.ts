/** Results that a page waits for, but not for long. */

/** Milliseconds that a page waits for rows which are read for the first time. */
const patience = 1500;

/** The result, or null if it isn't ready soon. */
export async function soon<T>(result: Promise<T>, milliseconds = patience): Promise<T | null> {
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
