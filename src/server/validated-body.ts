/** Bodies of responses with their validators. A page that watches whether it changes has its own validator in it. */

import { nextTurn } from '../data/event-loop.ts';
import { etagInTurns } from './etags.ts';

/** In characters. */
const largeBody = 128 * 1024;

/** The attribute of a page for its validator, and the one after it (`pages/layout.tsx`). No text is like them: quotes are escaped in texts. */
const noTag = ' data-tag data-changed="';

/** A page with its validator, if it has the attribute for it: the script of the page compares it with the ETag of a later response. */
export const withOwnTag = (page: string, tag: string): string =>
  page.replace(noTag, ` data-tag="${tag}" data-changed="`);

interface BodyOptions {
  readonly isPage: boolean;
  /** Time of the response, which its validator doesn't depend on: the validator is a weak one. */
  readonly madeAt: string | undefined;
  /** Other bytes than the body that the validator is made of. */
  readonly tagged?: Uint8Array | undefined;
}

/** The bytes of a body, and its validator. */
export async function validatedBody(
  body: string | Uint8Array,
  { isPage, madeAt, tagged }: BodyOptions,
): Promise<{ readonly bytes: Uint8Array; readonly validator: { readonly tag: string; readonly isWeak: boolean } }> {
  // Encoding a large text takes a turn of its own.
  if (typeof body === 'string' && body.length >= largeBody) await nextTurn();
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const timeless = madeAt === undefined ? bytes : Buffer.from(bytes.toString().replaceAll(madeAt, ''));
  const tag = await etagInTurns(tagged ?? timeless);
  const page = typeof body === 'string' && isPage ? withOwnTag(body, tag) : body;
  return { bytes: page === body ? bytes : Buffer.from(page), validator: { tag, isWeak: madeAt !== undefined } };
}
