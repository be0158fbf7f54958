/**
 * The output of results: a table for a person at a terminal; tab-separated lines without headings and colours for a
 * program behind a pipe; JSON with --json.
 */

import { escapeKeepingLines, escapeToOneLine, formatJson } from '../../catalogue/printable-text.ts';
import type { Context } from '../context.ts';
import { terminalColours } from './terminal.ts';
import { padLeftToWidth, padToWidth, textWidth, truncateText, wrapText } from './width.ts';

export interface Output {
  /** True if results go to a terminal, not to a program. */
  readonly forPeople: boolean;
  /** True with --json. */
  readonly asJson: boolean;
  /** One line of a result. */
  line(text: string): void;
  json(value: unknown): void;
  /** What a dry run would do: a line of the result; with --json, a message. */
  planned(text: string): void;
  /** A line for each row; only people get the headings. */
  table(headings: readonly string[], rows: readonly (readonly string[])[], layout?: TableLayout): void;
  /** Names with their values, a line each; people don't get empty ones. */
  fields(fields: readonly (readonly [name: string, value: string])[]): void;
  heading(text: string): void;
  /** A message to the person, on stderr. */
  message(text: string): void;
  /** A failure, on stderr, also with --quiet. */
  failure(text: string): void;
}

/** Layout of a table for people. */
export interface TableLayout {
  /** Headings of the columns of numbers, which are aligned right. */
  readonly numbers?: readonly string[];
  /** True to wrap texts that are too long for their column; by default they are cut. */
  readonly whole?: boolean;
}

/** Global options for the output. */
export interface ShowOptions {
  readonly json?: boolean | undefined;
  readonly color?: boolean | undefined;
}

export function createOutput(context: Context, options: ShowOptions): Output {
  const paint = terminalColours(context, options.color);
  const forPeople = context.isTerminal.out;
  const line = (text: string) => context.out(`${text}\n`);
  // One write of many lines: each is a system call, and a scan of the text.
  const lines = (texts: readonly string[]) => context.out(texts.map((text) => `${text}\n`).join(''));

  const message = (text: string) => {
    if (!context.quiet) context.err(`${escapeKeepingLines(text, gap)}\n`);
  };

  return {
    forPeople,
    asJson: options.json ?? false,
    line: (text) => line(escapeToOneLine(text)),
    json: (value) => line(formatJson(value)),
    planned: (text) => (options.json ? message(text) : line(escapeToOneLine(text))),
    heading: (text) => line(`\n${paint('bold', escapeToOneLine(text))}`),
    message,
    failure: (text) => context.err(`${escapeKeepingLines(text, gap)}\n`),

    table(headings, rows, { numbers = [], whole = false } = {}) {
      const titles = headings.map(escapeToOneLine);
      const cells = rows.map((row) => row.map(escapeToOneLine));
      if (!forPeople) return lines(cells.map((row) => row.join('\t')));
      const widths = fit(columnWidths([titles, ...cells]), context.columns - gap.length * (titles.length - 1));
      const layOut = (row: readonly string[]) =>
        row
          .map((cell, i) => (numbers.includes(titles[i] ?? '') ? padLeftToWidth : padToWidth)(cell, widths[i] ?? 0))
          .join(gap)
          .trimEnd();
      const cut = (row: readonly string[]) => row.map((cell, i) => truncateText(cell, widths[i] ?? 0));
      const parts = cells.flatMap((row) => (whole ? linesOf(row, widths) : [cut(row)]));
      lines([paint('dim', layOut(cut(titles))), ...parts.map(layOut)]);
    },

    fields(given) {
      const fields = given.map(([name, value]) => [escapeToOneLine(name), value] as const);
      if (!forPeople) return lines(fields.map(([name, value]) => `${name}\t${escapeToOneLine(value)}`));
      const filled = fields.filter(([, value]) => value !== '');
      const widest = Math.max(...filled.map(([name]) => textWidth(name)));
      const margin = widest + gap.length;
      const room = Math.max(leastRoom, context.columns - margin);
      lines(
        filled.map(([name, value]) => {
          const text = wrapText(escapeKeepingLines(value).trimEnd(), room).replaceAll('\n', `\n${' '.repeat(margin)}`);
          return `${paint('dim', padToWidth(name, widest))}${gap}${text}`;
        }),
      );
    },
  };
}

const gap = '  ';
/** The least width of a column of text. */
const leastRoom = 12;

/** A row as the lines that its longest cell needs. */
function linesOf(row: readonly string[], widths: readonly number[]): readonly (readonly string[])[] {
  const cells = row.map((cell, i) => wrapText(cell, widths[i] ?? 1).split('\n'));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, n) => cells.map((lines) => lines[n]?.trim() ?? ''));
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, textWidth(cell));
  return widths;
}

/**
 * The widths, reduced so that their sum isn't more than the available one. The first column has the names, which people
 * type again: it is cut only to half of the line. Of the others, the widest are cut to the same width.
 */
function fit(widths: readonly number[], available: number): number[] {
  const cut = [...widths];
  const narrowFirst = [...widths.keys()].slice(1).sort((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0));
  cut[0] = Math.min(widths[0] ?? 0, Math.floor(available / 2));
  let room = available - cut[0];
  for (const [n, i] of narrowFirst.entries()) {
    const share = Math.max(4, Math.floor(room / (narrowFirst.length - n)));
    cut[i] = Math.min(widths[i] ?? 0, share);
    room -= cut[i];
  }
  return cut;
}
