/** Bytes on their way, as they pass. */

/** Newline-delimited text, one line at a time. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
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
