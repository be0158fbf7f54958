/** Nesting of JSON values. */

/** True if a value has more levels of objects and lists than a maximum, its own included. */
export function isNestedDeeper(value: object, maximum: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; depth < maximum; depth++)
    level = level.flatMap((item) => Object.values(item).filter((part) => typeof part === 'object' && part !== null));
  return level.length > 0;
}
