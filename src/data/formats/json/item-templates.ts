/** The templates of a payload's items: made from the first items, and tried with each. */
import { ItemMatch, type ItemTemplate, makeItemTemplate } from './item-template.ts';

/** Most templates of a payload. */
const maxTemplates = 4;
/** Most items from which a template is made, or would be. */
const maxLearned = 50;
/** Longest item from which a template is made, in bytes. */
const maxItemLength = 64 * 1024;
/** Templates are given up after so many more items that didn't match than did. */
const maxMisses = 1000;

export class ItemTemplates {
  /** The values of the item that has matched last. */
  readonly values = new ItemMatch();
  #templates: ItemTemplate[] = [];
  #learned = 0;
  /** Items that didn't match, less those that did. */
  #misses = 0;
  #last = 0;

  /** True if further templates can be made. */
  get isOpen(): boolean {
    return this.#templates.length < maxTemplates && this.#learned < maxLearned;
  }

  /** Template that has matched last. */
  get matched(): ItemTemplate {
    return this.#templates[this.#last] as ItemTemplate;
  }

  /** Makes a template from an item that was parsed. @param onlyFeatures true if plain objects aren't rows as they are */
  learn(item: Buffer, onlyFeatures: boolean, columnOf: (name: string) => number | undefined): void {
    this.#learned++;
    if (item.length > maxItemLength) return;
    const template = makeItemTemplate(item, columnOf);
    if (!template || (onlyFeatures && !template.isFeature)) return;
    const isKnown = this.#templates.some(
      ({ literals }) =>
        literals.length === template.literals.length &&
        literals.every((literal, i) => literal.equals(template.literals[i] as Buffer)),
    );
    if (!isKnown) this.#templates.push(template);
  }

  /** Matches the item that begins at `start` with the templates. @returns the index behind it; -1 if none matches */
  match(bytes: Buffer, start: number): number {
    for (let i = 0; i < this.#templates.length; i++) {
      const place = (this.#last + i) % this.#templates.length;
      const end = this.values.match(bytes, start, this.#templates[place] as ItemTemplate);
      if (end === -1) continue;
      this.#last = place;
      if (this.#misses > 0) this.#misses--;
      return end;
    }
    if (this.#templates.length > 0 && ++this.#misses > maxMisses) {
      this.#templates = [];
      this.#learned = maxLearned;
    }
    return -1;
  }
}
