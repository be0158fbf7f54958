/** Names of files in answers. */
import { parse } from 'content-disposition';

/** Separators of paths, control characters, marks of text direction, and line breaks. */
const unsafe = /[/\\\p{C}\p{Zl}\p{Zp}\uFFFD]/u;

/** Most bytes of the name of a file on usual disks. */
const maxBytes = 255;

/**
 * The file name in a Content-Disposition header (RFC 6266, RFC 8187); undefined if the header has none or is malformed, and
 * for names with folders, hidden or too long ones.
 */
export function fileNameOf(disposition: string): string | undefined {
  try {
    // Many servers end the header with a semicolon.
    const { filename } = parse(disposition.trim().replace(/;$/, '')).parameters;
    const name = asUtf8(filename ?? '').trim();
    const isGood = name !== '' && !name.startsWith('.') && !unsafe.test(name) && Buffer.byteLength(name) <= maxBytes;
    return isGood ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The text of bytes that were read as ISO-8859-1, as headers are, if they are UTF-8, as most servers send them. */
function asUtf8(text: string): string {
  if (/[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
