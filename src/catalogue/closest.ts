/** Suggestions for mistyped words. */
import { distance } from 'fastest-levenshtein';

/** Longest word for which a candidate is looked for, in UTF-16 code units: longer texts are no mistyped names. */
const maxLength = 100;

/**
 * The candidate that was probably meant by a mistyped word.
 * @param mostEdits maximum edit distance; by default one letter, of words with more than four letters two letters in five
 * @returns undefined if every candidate differs more, or the word is too long to be a name
 */
export function closestWord(
  word: string,
  candidates: readonly string[],
  mostEdits = Math.max(1, Math.floor(word.length * 0.4)),
): string | undefined {
  if (word.length > maxLength) return undefined;
  const folded = word.toLowerCase();
  let best: string | undefined;
  let least = mostEdits + 1;
  for (const candidate of candidates) {
    // Each letter more or less is an edit.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const edits = editDistance(folded, candidate.toLowerCase());
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

const sortedLetters = (text: string) => [...text].sort().join('');

/** Edit distance; letters in another order count as one edit. */
function editDistance(a: string, b: string): number {
  if (a.length > 2 && a.length === b.length && a !== b && haveSameSums(a, b) && sortedLetters(a) === sortedLetters(b))
    return 1;
  return distance(a, b);
}

/** False for most texts of the same length that don't have the same letters: to sort these takes far longer. */
function haveSameSums(a: string, b: string): boolean {
  let [sum, squares] = [0, 0];
  for (let at = 0; at < a.length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    sum += one - other;
    squares += one * one - other * other;
  }
  return sum === 0 && squares === 0;
}

/** ` Did you mean "…"?`, or '' if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const best = closestWord(word, candidates);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
