/** Media types of files: from their addresses, from the texts in records, and of the content of compressed files. */
import { mediaTypeOf } from '../catalogue/media-types.ts';

/** The media type of a file by its address; undefined for a page, and where it isn't known. */
export function mediaTypeOfUrl(url: string): string | undefined {
  const name = url.split(/[?#]/)[0]?.split('/').slice(3).at(-1) ?? '';
  const type = withoutParameters(mediaTypeOf(name.includes('.') ? name : ''));
  return type === 'application/octet-stream' || type === 'text/html' ? undefined : type;
}

/** The media type of the format in a file that is compressed as a whole. */
export function contentTypeOf(mediaType: string, format: string): string | undefined {
  const type = mediaType === 'application/gzip' ? withoutParameters(mediaTypeOf(format)) : mediaType;
  return type === mediaType || type === 'application/octet-stream' ? undefined : type;
}

/** A media type as RFC 6838 (section 4.2) has it, without parameters; undefined for other texts. */
export function wellFormedMediaType(text: string): string | undefined {
  const type = withoutParameters(text).toLowerCase();
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(type) ? type : undefined;
}

export const withoutParameters = (mediaType: string) => mediaType.split(';')[0]?.trim() ?? '';
