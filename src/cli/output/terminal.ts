/**
 * Output that can't harm a terminal. Every text that a command writes or asks passes through here: control characters
 * and marks of text direction are made visible, except for line breaks, tabs, and the control sequences of the program
 * itself. These contain a random number of this process, which no text from outside can know.
 */
import { Readable } from 'node:stream';
import { escapeKeepingLines, escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { Context } from '../context.ts';

export type Colour = 'bold' | 'dim' | 'red' | 'yellow' | 'green';
export type Paint = (colour: Colour, text: string) => string;

/** Styles, and what ends them (SGR: ECMA-48, section 8.3.117). */
const styles: Readonly<Record<Colour, readonly [start: number, end: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
};

/** The random number, as parameters of a control sequence (ECMA-48, section 5.4), so that it has no width. */
let secret: string | undefined;

/** @param what the number of a style, or 999 for the start of the line */
function markedSequence(what: number): string {
  // Drawn at the first use: generators of random numbers take longer to load than most commands to run.
  secret ??= crypto
    .getRandomValues(new Uint16Array(4))
    .map((value) => 1000 + (value % 9000))
    .join(';');
  return `\x1b[${what};${secret}m`;
}

/** Moves to the start of the line, which is then overwritten. */
export const lineStart = (): string => markedSequence(999);

/**
 * Colours for text: at a terminal, unless NO_COLOR (https://no-color.org) or --no-color is set; with FORCE_COLOR
 * (https://force-color.org) also in other places, such as the log of a CI.
 */
export function terminalColours(context: Context, color = true): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = context.env;
  const usual = FORCE_COLOR ? FORCE_COLOR !== '0' : context.isTerminal.out && TERM !== 'dumb';
  const wanted = color && !NO_COLOR && usual;
  if (!wanted) return (_colour, text) => text;
  return (colour, text) => {
    const [start, end] = styles[colour];
    return markedSequence(start) + text + markedSequence(end);
  };
}

/** The text for the terminal. */
function makeHarmless(text: string): string {
  // Each second part is the number of a control sequence.
  const parts = secret === undefined ? [text] : text.split(new RegExp(`\\x1b\\[(\\d+);${secret}m`));
  return parts
    .map((part, i) => (i % 2 === 0 ? escapeKeepingLines(part) : part === '999' ? '\r' : `\x1b[${part}m`))
    .join('');
}

/** The context, with everything that goes to the terminal made harmless. Bytes for a program or a file stay as they are. */
export function contextWithHarmlessOutput(context: Context): Context {
  return {
    ...context,
    out: (text) => context.out(makeHarmless(text)),
    err: (text) => context.err(makeHarmless(text)),
    write: (bytes, options) =>
      context.write(context.isTerminal.out ? Readable.from(harmlessChunks(bytes)) : bytes, options),
    confirm: (question) => context.confirm(escapeToOneLine(question)),
    ask: (question) => context.ask(escapeToOneLine(question)),
    secret: (question) => context.secret(escapeToOneLine(question)),
  };
}

/** Text for the terminal, which ends in a line feed. */
async function* harmlessChunks(bytes: Readable): AsyncGenerator<Buffer, void, undefined> {
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const chunk of bytes) {
    const text = escapeKeepingLines(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    last = text.at(-1) ?? last;
    yield Buffer.from(text);
  }
  if (last !== '\n') yield Buffer.from('\n');
}
