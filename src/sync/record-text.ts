/** The text of a record, as the other side sends it. */
import { ValidationError } from '../catalogue/errors.ts';

/** In bytes: no catalogue takes a larger record. */
const largest = 1024 * 1024;

/**
 * All of it, with its byte order mark if it has one: its checksum is that of every byte.
 * @throws ValidationError where it is longer than any record, or has no end
 */
export async function recordText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > largest)
      throw new ValidationError({
        non_field_errors: [`It has more than the ${largest} bytes that a record may have.`],
      });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
