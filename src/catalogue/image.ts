/** Images that come as bytes: their type is found in the bytes, and not in a name. */
import { GIF } from 'image-size/types/gif';
import { HEIF } from 'image-size/types/heif';
import type { IImage } from 'image-size/types/interface';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { invalid, type Parsed } from './text-input.ts';

/** In bytes. */
export const largestImage = 10 * 1024 * 1024;
/** Width times height: a small file may be more than a browser can unpack. */
const mostPixels = 100_000_000;

interface ImageType {
  /** Customary extension of a file. */
  readonly extension: string;
  readonly reader: IImage;
  /** Bytes at the beginning in which the dimensions stand: the readers take long for much that means nothing. */
  readonly head: number;
  readonly isWhole?: (bytes: Uint8Array) => boolean;
}

/** Types that every browser shows. SVG isn't among them: it is a program as well. */
const types: readonly ImageType[] = [
  { extension: 'png', reader: PNG, head: 64, isWhole: (bytes) => latin1(bytes.subarray(-64)).includes('IEND') },
  // Colour profiles and previews come before the dimensions.
  { extension: 'jpg', reader: JPG, head: 1024 * 1024 },
  { extension: 'gif', reader: GIF, head: 64 },
  { extension: 'webp', reader: WEBP, head: 64, isWhole: (bytes) => uint32(bytes, 4) + 8 <= bytes.length },
  { extension: 'avif', reader: HEIF, head: 16 * 1024 },
];

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);
const uint32 = (bytes: Uint8Array, offset: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);

export interface ImageInfo {
  readonly extension: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Type and dimensions of an image; null if the bytes are no image of a known type, or a damaged one. */
export function readImageInfo(bytes: Uint8Array): ImageInfo | null {
  for (const { extension, reader, head, isWhole } of types)
    try {
      // A copy: the readers look beyond the end of a part.
      const beginning = new Uint8Array(bytes.subarray(0, head));
      if (!reader.validate(beginning)) continue;
      if (extension === 'avif' && latin1(beginning.subarray(8, 12)) !== 'avif') continue;
      const { width, height } = reader.calculate(beginning);
      return width > 0 && height > 0 && (isWhole?.(bytes) ?? true) ? { extension, width, height } : null;
    } catch {
      return null;
    }
  return null;
}

/** Checks an image as Django REST Framework's ImageField does. */
export function parseImage(bytes: Uint8Array): Parsed<Uint8Array> {
  if (bytes.length === 0) return invalid('The submitted file is empty.');
  if (bytes.length > largestImage)
    return invalid(`The image has ${bytes.length} bytes; it may have at most ${largestImage}.`);
  const facts = readImageInfo(bytes);
  if (!facts)
    return invalid('Upload a valid image. The file you uploaded was either not an image or a corrupted image.');
  const { width, height } = facts;
  return width * height > mostPixels
    ? invalid(`The image is ${width} by ${height} pixels; it may have at most ${mostPixels} in all.`)
    : { value: bytes };
}
