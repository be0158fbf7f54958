/** Parameters that operations of the OpenAPI document share. */
import type { Parameter } from './description.ts';

/** A reference to a part of the document that operations share. */
export interface Reference {
  readonly $ref: string;
}

/**
 * Parameters by name; a second one of a name has a number. Generators of clients make names of letters and digits of them, in
 * which `page_size`, `_page_size` and `pageSize` are the same.
 */
export class SharedParameters {
  readonly byName: Record<string, Parameter> = {};
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** The references to parameters. */
  refer(parameters: readonly Parameter[]): readonly Reference[] {
    return parameters.map((parameter) => {
      const key = JSON.stringify(parameter);
      let name = this.#names.get(key);
      if (name === undefined) {
        for (let n = 1; name === undefined || this.#taken.has(plain(name)); n++)
          name = parameter.name + (n > 1 ? `.${n}` : '');
        this.#taken.add(plain(name));
        this.#names.set(key, name);
        this.byName[name] = parameter;
      }
      return { $ref: `#/components/parameters/${name}` };
    });
  }
}

/** A name as such a generator writes it. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
