/** Texts in which the terms of a search are marked. */
import type { ComponentChildren } from 'preact';
import { foldCaseAndAccents } from '../catalogue/fold.ts';

/** The text with the places of the terms in `<mark>`. @param terms folded */
export function markTerms(text: string, terms: readonly string[]): ComponentChildren {
  const ranges = rangesOfTerms(text, terms);
  if (ranges.length === 0) return text;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const [from, to] of ranges) {
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return [...parts, text.slice(end)];
}

/** True if a text contains one of the terms. @param terms folded */
export const hasTerm = (text: string, terms: readonly string[]): boolean => {
  const folded = foldCaseAndAccents(text);
  return terms.some((term) => folded.includes(term));
};

/** Places of terms in a text, in order, without overlaps. */
function rangesOfTerms(text: string, terms: readonly string[]): readonly (readonly [number, number])[] {
  if (!hasTerm(text, terms)) return [];
  // Folding may change lengths: each folded character remembers the one that it comes from.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const character of text) {
    for (const unit of foldCaseAndAccents(character)) {
      folded += unit;
      for (let i = 0; i < unit.length; i++) origins.push(at);
    }
    at += character.length;
  }
  origins.push(text.length);
  const found: [number, number][] = [];
  for (const term of terms)
    for (let place = folded.indexOf(term); place >= 0; place = folded.indexOf(term, place + term.length)) {
      const last = origins[place + term.length - 1] as number;
      found.push([origins[place] as number, last + (String.fromCodePoint(text.codePointAt(last) ?? 0).length || 1)]);
    }
  found.sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const range of found) {
    const before = merged.at(-1);
    if (before && range[0] <= before[1]) before[1] = Math.max(before[1], range[1]);
    else merged.push(range);
  }
  return merged;
}

/**
 * The part of a line around the first place of one of the terms, from word to word; null if there is none.
 * @param terms folded
 * @param room characters before and behind the term
 */
export function excerptWithTerm(line: string, terms: readonly string[], room: number): string | null {
  const [range] = rangesOfTerms(line, terms);
  if (!range) return null;
  const [from, to] = range;
  // Without a blank in that room, the excerpt begins or ends within a word.
  const blank = line.indexOf(' ', from - room);
  const start = from <= room ? 0 : blank > 0 && blank < from ? blank + 1 : from - room;
  const lastBlank = line.lastIndexOf(' ', to + room);
  const end = to + room >= line.length ? line.length : lastBlank > to ? lastBlank : to + room;
  return `${start > 0 ? '… ' : ''}${line.slice(start, end)}${end < line.length ? ' …' : ''}`;
}
