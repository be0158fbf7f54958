/** The image of a dataset at a prompt: a file here is taken in, an address stays what it is. */

import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ValidationError } from '../../catalogue/errors.ts';
import { largestImage } from '../../catalogue/image.ts';
import { mediaPathIn } from '../../catalogue/layout.ts';
import type { Context } from '../context.ts';

/**
 * @param field under which it was given
 * @throws ValidationError where it is neither an address nor a file of a sane size
 */
export async function imageFrom(field: string, value: string, { cwd }: Context): Promise<string | Uint8Array> {
  if (value === '' || mediaPathIn(value) !== null || /^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return value;
  const wrong = (message: string) => new ValidationError({ [field]: [message] });
  const found = await stat(resolve(cwd, value)).catch(() => null);
  if (!found?.isFile())
    throw wrong(`There is no file ${value}. Give a file of this machine, a path below /site_media/, or a URL.`);
  if (found.size > largestImage) throw wrong(`${value} has ${found.size} bytes; it may have at most ${largestImage}.`);
  return readFile(resolve(cwd, value));
}
