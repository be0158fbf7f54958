/**
 * New names while a batch is written: the lock of a folder is taken once for all that get a name in it at that time, and
 * the names that it has are read once.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConflictError } from '../../catalogue/errors.ts';
import { parseRecordName } from '../../catalogue/layout.ts';
import { codeOf } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { parentOf } from '../writing/names.ts';
import type { Made } from '../writing/writing.ts';

interface Held {
  users: number;
  /** When the lock is held: the names in lower case, with what they are; and a word, should the lock be lost. */
  readonly taken: Promise<{ readonly names: Map<string, string>; readonly signal: AbortSignal }>;
  readonly letGo: () => void;
  /** When the lock is free again. */
  readonly over: Promise<void>;
}

export class NewNames {
  readonly #root: string;
  readonly #held = new Map<string, Held>();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Does the work that gives a record its name, under the lock of the folder in which it has it. A folder of its own name
   * may be there: of payloads that came first.
   * @throws ConflictError where the name is taken but for its case
   */
  async give(unit: Made, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const parent = parentOf(unit);
    let held = this.#held.get(parent);
    if (!held) {
      held = this.#hold(parent);
      this.#held.set(parent, held);
    }
    held.users++;
    try {
      const { names, signal } = await held.taken;
      const lower = unit.slug.toLowerCase();
      const twin = names.get(lower);
      if (twin !== undefined && twin !== unit.slug)
        throw new ConflictError(`There is a ${unit.kind} whose name differs from "${unit.slug}" in case only.`);
      // Before the work: of two at once that differ in case, one is first.
      names.set(lower, unit.slug);
      await work(signal);
    } finally {
      if (--held.users === 0) {
        this.#held.delete(parent);
        held.letGo();
        await held.over;
      }
    }
  }

  #hold(parent: string): Held {
    let letGo = () => {};
    const wanted = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let over: Promise<void> = Promise.resolve();
    const taken: Held['taken'] = new Promise((resolve, reject) => {
      over = withLock(this.#root, parent, async (signal) => {
        resolve({ names: await this.#namesIn(parent), signal });
        await wanted;
      }).catch(reject);
    });
    return { users: 0, taken, letGo, over };
  }

  async #namesIn(parent: string): Promise<Map<string, string>> {
    const names = await readdir(join(this.#root, parent)).catch((error) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    // Of files, the name is what stands before the extension; folders have none.
    const stems = names.map((name) => parseRecordName(name)?.stem ?? name);
    return new Map(stems.map((name) => [name.toLowerCase(), name]));
  }
}
