/** The place in a description where a search found a term: of a long description, the lines around that place only are read as Markdown. */
import { plainText } from './markdown.ts';
import { excerptWithTerm, hasTerm } from './marked-text.tsx';

/** Characters of Markdown that are read before and behind the piece with a term. */
const aroundPiece = 1000;

/** Length of the pieces in which a term is looked for, and by how much they overlap, in characters: a term may stand on their border. */
const pieceLength = 500;
const overlap = 100;

/** Length to which a description is read as Markdown in full, in characters. */
const shortText = 4000;

/** Most places that are tried: a term may stand in an address, which plain text doesn't have. */
const mostPlaces = 5;

/**
 * The part of a description around the first place of one of the terms, without markup; null if none is in its text.
 * @param description in Markdown
 * @param terms folded
 * @param room characters before and behind the term
 */
export function excerptOfDescription(description: string, terms: readonly string[], room: number): string | null {
  for (const { text, isStart, isEnd } of partsWithTerm(description, terms)) {
    const plain = plainText(text);
    const excerpt = excerptWithTerm(plain, terms, room);
    if (excerpt === null) continue;
    const before = isStart || excerpt.startsWith('… ') ? '' : '… ';
    const behind = isEnd || excerpt.endsWith(' …') ? '' : ' …';
    return before + excerpt + behind;
  }
  return null;
}

interface Part {
  readonly text: string;
  /** True if it is the beginning of the description, or its end. */
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

/** The parts of a description that have a term, first things first: all of a short one, some thousand characters of a long one. */
export function* partsWithTerm(description: string, terms: readonly string[]): Generator<Part, void, undefined> {
  if (!hasTerm(description, terms)) return;
  if (description.length <= shortText) {
    yield { text: description, isStart: true, isEnd: true };
    return;
  }
  let tried = 0;
  for (let at = 0; at < description.length && tried < mostPlaces; at += pieceLength) {
    if (!hasTerm(description.slice(at, at + pieceLength + overlap), terms)) continue;
    tried++;
    const start = startOfLine(description, Math.max(0, at - aroundPiece), at);
    const end = endOfLine(description, at + pieceLength + overlap, at + pieceLength + overlap + aroundPiece);
    yield { text: description.slice(start, end), isStart: start === 0, isEnd: end === description.length };
  }
}

/** The first beginning of a line at `from` or behind it, but before `last`; else `from`. */
function startOfLine(text: string, from: number, last: number): number {
  if (from === 0) return 0;
  const end = text.indexOf('\n', from - 1);
  return end === -1 || end >= last ? from : end + 1;
}

/** The last end of a line at `to` or before it, but not before `first`; else `to`. */
function endOfLine(text: string, first: number, to: number): number {
  if (to >= text.length) return text.length;
  const end = text.lastIndexOf('\n', to);
  return end < first ? to : end;
}
