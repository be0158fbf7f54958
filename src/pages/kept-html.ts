/** HTML of a part of a page that takes long to write and is the same for all readers of a language. */
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { KeptTexts } from './kept-texts.ts';

const kept = new KeptTexts();

/**
 * The HTML of a part.
 * @param key names the part, and all that decides about it besides the objects that it shows
 * @param shown objects that the part is made of
 */
export function keptHtml(key: string, shown: readonly unknown[], make: () => VNode): string {
  const known = kept.get(key, shown);
  if (known !== undefined) return known;
  const html = render(make());
  kept.set(key, shown, html);
  return html;
}
