/** Bytes on their way, as they pass. */

import { UnreachableError } from '../catalogue/errors.ts';

/** In characters; a row may have a large geometry. */
const longestLine = 128 * 1024 * 1024;

/**
 * Newline-delimited text, one line at a time.
 * @throws UnreachableError where a line doesn't end
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    if (rest.length > longestLine) throw new UnreachableError('The answer has a line without an end.');
    for (const line of lines) {
      if (rest !== '') yield rest;
      rest = line;
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Passes bytes on, and says how many there were. */
export async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onProgress: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  for await (const chunk of bytes) {
    yield chunk;
    count += chunk.length;
    onProgress?.(count);
  }
}
