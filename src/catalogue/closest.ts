/** "Did you mean …?" */
import { distance } from 'fastest-levenshtein';

/**
 * The candidate that a mistyped word probably meant.
 * @returns undefined where none is near: more than two letters in five differ
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(word.length > 3 ? 2 : 1, Math.floor(word.length * 0.4)) + 1;
  for (const candidate of candidates) {
    const d = differing(word.toLowerCase(), candidate.toLowerCase());
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

/** Letters that changed places are one slip, and not two. */
function differing(a: string, b: string): number {
  const letters = (text: string) => [...text].sort().join('');
  return a.length > 2 && a !== b && letters(a) === letters(b) ? 1 : distance(a, b);
}
