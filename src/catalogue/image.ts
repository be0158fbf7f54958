/** Uploaded images: their type is detected from the bytes, not from a file name. */
import { GIF } from 'image-size/types/gif';
import { HEIF } from 'image-size/types/heif';
import type { IImage } from 'image-size/types/interface';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { invalidInput, type Parsed } from './text-input.ts';

/** Maximum size of an image, in bytes. */
export const maxImageBytes = 10 * 1024 * 1024;
/** Maximum of width times height: a small file may inflate to more than a browser can show. */
const maxPixels = 100_000_000;

interface ImageType {
  /** Usual file name extension. */
  readonly extension: string;
  readonly reader: IImage;
  /** Number of bytes at the start that hold the dimensions. The readers are slow on long meaningless input. */
  readonly head: number;
  /** True if no bytes are missing at the end. */
  readonly isWhole?: (bytes: Uint8Array) => boolean;
}

/** Types that every browser shows. SVG is not allowed, since it can contain scripts. */
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

/** Type and dimensions of an image; null if the bytes are not an image of a known type, or a damaged one. */
export function readImageInfo(bytes: Uint8Array): ImageInfo | null {
  for (const { extension, reader, head, isWhole } of types)
    try {
      // A copy, since the readers read beyond the end of a subarray.
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
export function validateImage(bytes: Uint8Array): Parsed<Uint8Array> {
  if (bytes.length === 0) return invalidInput('The submitted file is empty.');
  if (bytes.length > maxImageBytes)
    return invalidInput(`The image has ${bytes.length} bytes; it may have at most ${maxImageBytes}.`);
  const facts = readImageInfo(bytes);
  if (!facts)
    return invalidInput('Upload a valid image. The file you uploaded was either not an image or a corrupted image.');
  const { width, height } = facts;
  return width * height > maxPixels
    ? invalidInput(`The image is ${width} by ${height} pixels; it may have at most ${maxPixels} in all.`)
    : { value: bytes };
}
