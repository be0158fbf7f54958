/** The words in which two texts differ. */

/** A part of a text; `differs` if the other text hasn't it. */
export interface TextPart {
  readonly text: string;
  readonly differs: boolean;
}

/** Words of a text that are compared one by one, at most. */
const mostWords = 80;
/** Longest text of a cell, and what is left of the part before the first difference. */
const mostShown = 300;
const contextShown = 40;

/**
 * Both texts in parts. Texts that have no word in common differ as a whole, and no part is set off. Long texts are cut
 * to what surrounds their first difference.
 */
export function wordDifference(before: string, after: string): readonly [readonly TextPart[], readonly TextPart[]] {
  const [first, second] = cutAround(before, after);
  const [old, now] = [wordsOf(first), wordsOf(second)];
  const kept = commonWords(old, now);
  const hasCommonWord = kept.some(([at]) => /[\p{L}\p{N}]/u.test(old[at] as string));
  if (!hasCommonWord) return [[{ text: first, differs: false }], [{ text: second, differs: false }]];
  return [partsOf(old, new Set(kept.map(([at]) => at))), partsOf(now, new Set(kept.map(([, at]) => at)))];
}

/** Words, and the signs and spaces between them, one by one. */
const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]/gu) ?? [];

function partsOf(words: readonly string[], kept: ReadonlySet<number>): readonly TextPart[] {
  const parts: { text: string; differs: boolean }[] = [];
  for (const [at, word] of words.entries()) {
    const differs = !kept.has(at);
    const last = parts.at(-1);
    if (last?.differs === differs) last.text += word;
    else parts.push({ text: word, differs });
  }
  return parts;
}

/** Places of a longest common subsequence of words; of long texts, of what they begin and end with. */
function commonWords(old: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const head = Array.from({ length: start }, (_, at) => [at, at] as const);
  const tail = Array.from({ length: end }, (_, at) => [old.length - end + at, now.length - end + at] as const);
  const [rows, columns] = [old.length - start - end, now.length - start - end];
  if (rows > mostWords || columns > mostWords) return [...head, ...tail];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  const at = (row: number, column: number) => (lengths[row] as Uint16Array)[column] as number;
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      (lengths[row] as Uint16Array)[column] =
        old[start + row] === now[start + column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const middle: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (old[start + row] === now[start + column]) middle.push([start + row++, start + column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return [...head, ...middle, ...tail];
}

/** Long texts, cut to what surrounds their first difference. */
function cutAround(before: string, after: string): readonly [string, string] {
  if (Math.max(before.length, after.length) <= mostShown) return [before, after];
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  const start = Math.max(0, same - contextShown);
  const cut = (text: string) => {
    const part = text.slice(start, start + mostShown).toWellFormed();
    return `${start > 0 ? '…' : ''}${part}${start + mostShown < text.length ? '…' : ''}`;
  };
  return [cut(before), cut(after)];
}
