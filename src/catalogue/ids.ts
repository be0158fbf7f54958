/**
 * Identifiers: positive integers of at most 31 bits. They are random, not consecutive, so that two branches that each add
 * a record don't use the same number. (Two branches that each add 10 records have an equal id once in 20 million merges;
 * `catalogue check` finds it and `--fix` fixes it.)
 */

/** The greatest identifier: 31 bits, so that it fits a signed 32-bit integer of any client. */
export const maxId = 2_147_483_647;

/**
 * A new random identifier.
 * @param isTaken true if an id is in use
 * @param random returns numbers in [0, 1)
 */
export function randomUnusedId(isTaken: (id: number) => boolean, random: () => number = Math.random): number {
  for (;;) {
    const id = 1 + Math.floor(random() * maxId);
    if (!isTaken(id)) return id;
  }
}

const utf8 = new TextEncoder();

/**
 * The identifier of a record whose file has none: FNV-1a (32 bits) of kind and address, folded to 31 bits, so that it is
 * the same each time. Source: http://www.isthe.com/chongo/tech/comp/fnv/ ("xor-folding").
 */
export function deriveIdFromAddress(kind: string, address: string): number {
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(`${kind}:${address}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash >>> 31) ^ (hash & maxId) || 1;
}
