/**
 * HTML of a part of a page that takes long to write and is the same for all readers of a language. It is kept for as long as what it
 * shows is the same objects: for pages that the response cache doesn't keep, such as those of readers who are signed in.
 */
import { LRUCache } from 'lru-cache';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

/** Characters of all parts that are kept, the most recently used. */
const mostCharacters = 16_000_000;

interface Kept {
  readonly shown: readonly unknown[];
  readonly html: string;
}

const kept = new LRUCache<string, Kept>({
  maxSize: mostCharacters,
  sizeCalculation: ({ html }, key) => html.length + key.length + 200,
});

/**
 * The HTML of a part.
 * @param key names the part, and all that decides about it besides the objects that it shows
 * @param shown objects that the part is made of
 */
export function keptHtml(key: string, shown: readonly unknown[], make: () => VNode): string {
  const known = kept.get(key);
  if (known && known.shown.length === shown.length && known.shown.every((one, i) => one === shown[i]))
    return known.html;
  const html = render(make());
  kept.set(key, { shown, html });
  return html;
}
