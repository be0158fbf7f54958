/** Suggestions for mistyped words. */
import { distance } from 'fastest-levenshtein';

/**
 * The candidate that was probably meant by a mistyped word.
 * @param mostEdits maximum edit distance; by default one letter, of words with more than four letters two letters in five
 * @returns undefined if every candidate differs more
 */
export function closestWord(
  word: string,
  candidates: readonly string[],
  mostEdits = Math.max(1, Math.floor(word.length * 0.4)),
): string | undefined {
  let best: string | undefined;
  let least = mostEdits + 1;
  for (const candidate of candidates) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

/** Edit distance; letters in another order count as one edit. */
function editDistance(a: string, b: string): number {
  const letters = (text: string) => [...text].sort().join('');
  return a.length > 2 && a !== b && letters(a) === letters(b) ? 1 : distance(a, b);
}

/** ` Did you mean "…"?`, or '' if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  // A name of very different length is never near: of ten thousand columns, most needn't be compared.
  const maxDifference = Math.max(1, word.length * 0.4);
  const near =
    word.length > 100 ? [] : candidates.filter((name) => Math.abs(name.length - word.length) <= maxDifference);
  const best = closestWord(word, near);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
