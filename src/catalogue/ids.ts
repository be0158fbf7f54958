/**
 * Identifiers: positive integers of at most 31 bits. They are drawn at random and not counted up, so that two branches
 * that each add a record don't give the same number to both. (Of 10,000 records, a branch that adds 10 clashes with
 * another that adds 10 once in 20 million merges; `catalogue check` finds it and `--fix` mends it.)
 */

/** The greatest identifier: 31 bits, so that it fits a signed 32-bit integer of any client. */
export const maxId = 2_147_483_647;

/**
 * A new identifier.
 * @param taken whether a number is in use
 * @param random a source of numbers in [0, 1)
 */
export function randomId(taken: (id: number) => boolean, random: () => number = Math.random): number {
  for (;;) {
    const id = 1 + Math.floor(random() * maxId);
    if (!taken(id)) return id;
  }
}

/**
 * The stable identifier of a record that has none written in its file: FNV-1a (32 bits) of kind and address, folded
 * to 31 bits. Source: http://www.isthe.com/chongo/tech/comp/fnv/ ("xor-folding").
 */
export function derivedId(kind: string, address: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${kind}:${address}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash >>> 31) ^ (hash & maxId) || 1;
}
