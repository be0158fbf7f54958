/** Texts of records that were read for something else, so that a manifest with texts needn't read them again. */

/** In characters: the most that is kept. */
const maxKept = 16_000_000;

export class KeptTexts {
  /** By path. */
  readonly #texts = new Map<string, string>();
  #size = 0;

  readonly keep = (path: string, text: string): void => {
    this.#size += text.length - (this.#texts.get(path)?.length ?? 0);
    // An older text must not stay.
    if (this.#size <= maxKept) this.#texts.set(path, text);
    else this.take(path);
  };

  get(path: string): string | undefined {
    return this.#texts.get(path);
  }

  /** The text of a record, which is no longer kept. */
  take(path: string): string | undefined {
    const text = this.#texts.get(path);
    this.#texts.delete(path);
    return text;
  }
}
