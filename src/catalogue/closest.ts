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
  const letters = sortedLetters(folded);
  let best: string | undefined;
  let least = mostEdits + 1;
  for (const candidate of candidates) {
    // Each letter more or less is an edit.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const edits = editDistance(folded, candidate.toLowerCase(), letters);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

const sortedLetters = (text: string) => [...text].sort().join('');

/** Edit distance; letters in another order count as one edit. @param letters those of the first text, sorted */
function editDistance(a: string, b: string, letters: string): number {
  if (a.length > 2 && a.length === b.length && a !== b && sortedLetters(b) === letters) return 1;
  return distance(a, b);
}

/** ` Did you mean "…"?`, or '' if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const best = closestWord(word, candidates);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
