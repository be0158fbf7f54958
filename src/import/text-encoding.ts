/** Texts of documents: UTF-8, or the encoding that a byte order mark, an XML declaration or the Content-Type names. */
import { isUtf8 } from 'node:buffer';
import { ValidationError } from '../catalogue/errors.ts';

/** The text of a document, without a byte order mark. @param charset of the Content-Type; '' if none @throws ValidationError */
export function decodeDocument(bytes: Buffer, charset: string, address: string): string {
  const text = decode(bytes, charset, isUtf8);
  if (text !== null) return text;
  throw new ValidationError({
    source: [`${address} is not in UTF-8, and says no other encoding. Save it as a file in UTF-8, and import that.`],
  });
}

/** The beginning of a document, which may end within a character. Of bytes that are no text, what UTF-8 makes of them. */
export function decodeBeginning(bytes: Buffer, charset: string): string {
  const isBeginning = (some: Buffer) => [0, 1, 2, 3].some((cut) => isUtf8(some.subarray(0, some.length - cut)));
  return decode(bytes, charset, isBeginning) ?? bytes.toString('utf8');
}

function decode(bytes: Buffer, charset: string, isInUtf8: (bytes: Buffer) => boolean): string | null {
  const mark = bytes.toString('hex', 0, 2);
  const named = /^utf-?16/i.test(charset) ? charset : undefined;
  const wide = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : named;
  // ASCII in UTF-16 is UTF-8, too, with NUL characters.
  if (wide === undefined && isInUtf8(bytes)) return bytes.toString('utf8').replace(/^\ufeff/, '');
  const declared = /^<\?xml[^>]*\bencoding=["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1];
  try {
    const name = wide ?? declared ?? charset;
    if (!name) return null;
    const decoder = new TextDecoder(name, { fatal: true });
    // At once, some versions of Node decode Windows-1252 as ISO-8859-1: a € would be a control character.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    // An encoding that is not known, or not that of these bytes.
    return null;
  }
}
