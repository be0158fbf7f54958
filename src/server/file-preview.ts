/** A first look at a payload that has no rows: the first lines of a text, the members of a zip, a picture. */
import type { Readable } from 'node:stream';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError, UnavailableError } from '../catalogue/errors.ts';
import type { Payload } from '../catalogue/open-file.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import type { FilePreview, ZipMember } from '../pages/file-preview.tsx';

/** Bytes that are read of a text, and of the end of a zip. */
const textBytes = 16 * 1024;
const zipBytes = 256 * 1024;
const mostLines = 40;
const mostMembers = 100;
/** Largest picture that is shown, in bytes. */
const mostPictureBytes = 5_000_000;

/** A first look at the payload of a version; null if there is none to show. */
export async function previewFile(catalogue: Catalogue, version: Version): Promise<FilePreview | null> {
  try {
    const payload = await catalogue.payload(refOf(version));
    if (/^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/.test(payload.mediaType)) {
      await payload.close();
      return payload.size <= mostPictureBytes ? { kind: 'picture' } : null;
    }
    if (/\.zip$/i.test(payload.fileName)) {
      const start = Math.max(0, payload.size - zipBytes);
      return membersOfZip(await readBytes(payload, start, payload.size), start);
    }
    return linesOfText(await readBytes(payload, 0, textBytes), payload.size);
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof UnavailableError) return null;
    throw error;
  }
}

/** @param end not included */
async function readBytes(payload: Payload, start: number, end: number): Promise<Buffer> {
  if (payload.size === 0) {
    await payload.close();
    return Buffer.alloc(0);
  }
  const stream: Readable = await payload.stream({ start, end: Math.min(end, payload.size) - 1 });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The first lines, if the bytes are UTF-8 without control characters. */
function linesOfText(bytes: Buffer, size: number): FilePreview | null {
  // The last character may be cut.
  const text = new TextDecoder().decode(bytes, { stream: bytes.length < size }).replace(/^\ufeff/, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no text has them
  if (text === '' || /[\0-\x08\x0e-\x1f\ufffd]/.test(text)) return null;
  const lines = text.split(/\r\n|[\n\r]/);
  // What is behind the last line feed is no line; or it is cut.
  if (lines.length > 1 && (bytes.length < size || lines.at(-1) === '')) lines.pop();
  const shown = lines.slice(0, mostLines);
  return { kind: 'text', lines: shown, isCut: bytes.length < size || shown.length < lines.length };
}

/** Signatures and lengths of records (APPNOTE.TXT, sections 4.3.12 and 4.3.16). */
const endOfDirectory = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const memberSignature = 0x02014b50;
const memberLength = 46;
const isUtf8 = 0x0800;
/** In place of a size that ZIP64 has in another record (section 4.5.3), which isn't read. */
const unknownSize = 0xffffffff;

/**
 * The members that the directory at the end of a zip lists.
 * @param bytes the last of the file
 * @param start place of the first of the bytes in the file
 */
function membersOfZip(bytes: Buffer, start: number): FilePreview | null {
  const end = bytes.lastIndexOf(endOfDirectory);
  if (end < 0 || end + 22 > bytes.length) return null;
  const count = bytes.readUInt16LE(end + 10);
  const members: ZipMember[] = [];
  let at = bytes.readUInt32LE(end + 16) - start;
  while (members.length < Math.min(count, mostMembers)) {
    if (at < 0 || at + memberLength > end || bytes.readUInt32LE(at) !== memberSignature) break;
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    const encoding = bytes.readUInt16LE(at + 8) & isUtf8 ? 'utf8' : 'latin1';
    const path = bytes.toString(encoding, at + memberLength, at + memberLength + name);
    const size = bytes.readUInt32LE(at + 24);
    members.push({ path, size: size === unknownSize ? null : size });
    at += memberLength + name + extra + comment;
  }
  return members.length > 0 ? { kind: 'zip', members, count } : null;
}
