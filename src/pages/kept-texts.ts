/**
 * Texts that take long to write and are the same for several readers. A text is kept for as long as what it shows is the same
 * objects: for responses that the response cache doesn't keep, such as those to readers who are signed in.
 */
import { LRUCache } from 'lru-cache';

/** Characters of all texts that are kept, the most recently used. */
const mostCharacters = 16_000_000;

interface Kept {
  readonly shown: readonly unknown[];
  readonly text: string;
}

export class KeptTexts {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: mostCharacters,
    sizeCalculation: ({ text }, key) => text.length + key.length + 200,
  });

  /**
   * The text that is kept, if what it shows is still the same; undefined for others.
   * @param key names the text, and all that decides about it besides the objects that it shows
   * @param shown objects that the text is made of
   */
  get(key: string, shown: readonly unknown[]): string | undefined {
    const known = this.#kept.get(key);
    const isRight = known?.shown.length === shown.length && known.shown.every((one, i) => one === shown[i]);
    return isRight ? known.text : undefined;
  }

  set(key: string, shown: readonly unknown[], text: string): void {
    this.#kept.set(key, { shown, text });
  }
}
