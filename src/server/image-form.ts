/** Multipart forms of fields, among which there may be images. */
import type { ParameterizedContext } from 'koa';
import type { WritableKind } from '../catalogue/catalogue.ts';
import { UnavailableError } from '../catalogue/errors.ts';
import { imageFields, shapeOf } from '../catalogue/fields.ts';
import { largestImage } from '../catalogue/image.ts';
import { TooLargeError } from './errors.ts';
import type { FormEntries } from './forms.ts';
import { unhurried } from './limits.ts';
import { type FormPart, readForm } from './multipart.ts';

/** In bytes: what is held for all requests together. */
const mostHeld = 64 * 1024 * 1024;
let held = 0;
/** How many bytes of images are held at this moment. */
export const imageBytesHeld = (): number => held;

/**
 * Reads a form. Images are small enough to be held in memory; of any other file, that it is one is all that is kept:
 * it stands where text belongs.
 * @param largest how many bytes there may be besides images
 * @returns the fields in their order, then the files: of a text and a file of one name, the file counts
 * @throws BadRequestError, TooLargeError; UnavailableError where too many send images at once
 */
export async function readImageForm(
  ctx: ParameterizedContext,
  kind: WritableKind | undefined,
  largest: number,
): Promise<FormEntries> {
  const files = new Map<string, () => unknown>();
  const onFile = (part: FormPart) => {
    if (part.name === null) return;
    const isImage = kind !== undefined && shapeOf(kind, part.name) === 'image';
    // A slow line takes its time for an image, as for any upload.
    if (isImage) unhurried(ctx.req);
    files.set(part.name, isImage ? collected(part, ctx) : () => ({ file: true }));
  };
  const all = largest + (kind ? imageFields(kind).length * largestImage : 0);
  const fields = await readForm(ctx, { largest: all, onFile });
  return [...fields, ...[...files].map(([name, value]) => [name, value()] as const)];
}

/** Collects the bytes of a part; they count until the request is answered. */
function collected(part: FormPart, { res }: ParameterizedContext): () => Uint8Array {
  let chunks: Buffer[] = [];
  let size = 0;
  let kept = 0;
  let refusal: Error | null = null;
  const keep = (bytes: number) => {
    kept += bytes;
    held += bytes;
  };
  part.on('data', (chunk) => {
    size += chunk.length;
    if (size > largestImage) refusal ??= new TooLargeError(largestImage);
    if (held + chunk.length > mostHeld)
      refusal ??= new UnavailableError('Too many images are being sent at this moment. Try again soon.');
    if (refusal) {
      chunks = [];
      return keep(-kept);
    }
    // The parser uses its buffers again.
    chunks.push(Buffer.from(chunk));
    keep(chunk.length);
  });
  res.once('close', () => keep(-kept));
  return () => {
    if (refusal) throw refusal;
    return Buffer.concat(chunks);
  };
}
