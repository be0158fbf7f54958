/**
 * A function whose last result is kept: for what is derived from all columns of a table, of which each page would need it several
 * times, and which takes milliseconds of ten thousand.
 * @param compute depends on its arguments alone; the first is an object that doesn't change, and for as long as it lives, its
 *   last result is kept. With another argument behind it, it is computed again.
 */
export function keepLast<First extends object, Others extends readonly unknown[], Result>(
  compute: (first: First, ...others: Others) => Result,
): (first: First, ...others: Others) => Result {
  const kept = new WeakMap<First, { readonly others: Others; readonly result: Result }>();
  return (first, ...others) => {
    const known = kept.get(first);
    if (known?.others.length === others.length && others.every((one, i) => one === known.others[i]))
      return known.result;
    const result = compute(first, ...others);
    kept.set(first, { others, result });
    return result;
  };
}
