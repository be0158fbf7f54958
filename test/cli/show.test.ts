import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { escapeKeepingLines, escapeToOneLine, formatJson } from '../../src/catalogue/printable-text.ts';
import type { Context } from '../../src/cli/context.ts';
import { contextWithHarmlessOutput, lineStart, terminalColours } from '../../src/cli/output/terminal.ts';
import { padToWidth, textWidth, truncateText } from '../../src/cli/output/width.ts';
import { anyCharacter } from '../support/characters.ts';
import { harmful, naughty } from '../support/naughty.ts';
import { type } from '../support/prompt.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const nasty = 'A\x1b]0;owned\x07\x1b[31mred\x9b1m\x00\u202eB\r\nC\tD';

describe('text on its way to a terminal', () => {
  it('has no control characters in it, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.doesNotMatch(escapeToOneLine(text), control);
        assert.doesNotMatch(escapeToOneLine(text), /[\n\t]/);
        assert.doesNotMatch(escapeKeepingLines(text), control);
        assert.doesNotMatch(formatJson({ text }), control);
        assert.deepEqual(JSON.parse(formatJson({ text })), { text });
      }),
    );
  });

  it('shows what was there', () => {
    assert.equal(escapeToOneLine('a\x1b[31m\n\nb'), 'a\\u001b[31m b');
    assert.equal(escapeKeepingLines('a\r\nb\tc\x7f'), 'a\nb\tc\\u007f');
  });
});

describe('everything that is written', () => {
  const isTerminal = { in: true, out: true, err: true };
  /** Writes through a context. @returns everything that arrived */
  async function arrived(write: (context: Context) => unknown): Promise<string> {
    let seen = '';
    const take = async (text: string) => {
      seen += text;
      return '';
    };
    const confirm = async (text: string) => (await take(text)) === '';
    const bytes = async (chunks: AsyncIterable<unknown>) => {
      for await (const chunk of chunks) seen += chunk;
    };
    const raw = { out: take, err: take, ask: take, secret: take, confirm, write: bytes, isTerminal, env: {} };
    await write(contextWithHarmlessOutput(raw as unknown as Context));
    return seen;
  }

  it('is harmless, whoever writes it', async () => {
    for (const text of naughty) {
      const seen = await arrived(async (context) => {
        context.out(text);
        context.err(text);
        await context.confirm(text);
        await context.ask(text);
        await context.secret(text);
        await context.write(Readable.from([Buffer.from(text)]));
      });
      assert.doesNotMatch(seen, harmful, JSON.stringify(text));
    }
  });

  it('has the colours of the program, which nobody can imitate', async () => {
    assert.equal(
      await arrived((context) => context.out(terminalColours(context)('red', 'a\x1b[31mb') + lineStart())),
      '\x1b[31ma\\u001b[31mb\x1b[39m\r',
    );
    assert.doesNotMatch(await arrived((context) => context.out('\x1b[31;1234;1234;1234;1234m')), harmful);
  });

  it('has lines of its own, which no text from outside can begin', async () => {
    assert.equal(escapeKeepingLines('a\nerror: b\n\n  c\n', '  '), 'a\n  error: b\n\n  c\n');
  });
});

describe('width', () => {
  it('counts cells: wide characters are two, marks are none', () => {
    assert.equal(textWidth('井戸'), 4);
    assert.equal(textWidth('e\u0301'), 1);
    assert.equal(padToWidth('井戸', 6), '井戸  ');
  });

  it('is kept to, and no character is cut apart', () => {
    assert.equal(truncateText('abcdef', 6), 'abcdef');
    assert.equal(truncateText('abcdefg', 6), 'abcde…');
    assert.equal(truncateText('井戸井戸', 6), '井戸…');
    assert.equal(truncateText('👨‍👩‍👧👨‍👩‍👧', 3), '👨‍👩‍👧…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, to) =>
        assert.ok(textWidth(truncateText(text, to)) <= to),
      ),
    );
  });
});

describe('what is shown', () => {
  const seed = {
    namespaces: { parks: { label: nasty }, longer: { label: 'x'.repeat(150), owners: ['a', 'b'] } },
    datasets: { 'parks/trees': { label: nasty, description: nasty, keywords: [nasty], publisher: nasty } },
  };

  it('obeys nothing in the data', async () => {
    for (const terminal of [true, false])
      for (const argv of [
        ['namespace', 'list'],
        ['namespace', 'show', 'parks'],
        ['dataset', 'list'],
        ['dataset', 'show', 'parks/trees'],
        ['dataset', 'show', 'parks/trees', '--json'],
        ['dataset', 'list', '--json'],
      ]) {
        const { out, exitCode } = await type(argv, { seed, terminal });
        assert.equal(exitCode, 0);
        assert.doesNotMatch(out, control, argv.join(' '));
        assert.match(out, /red/);
      }
  });

  it('is one line for each row, behind a pipe', async () => {
    const { out } = await type(['namespace', 'list'], { seed });
    const lines = out.slice(0, -1).split('\n');
    assert.equal(lines.length, 2);
    for (const line of lines) assert.equal(line.split('\t').length, 4);
  });

  it('fits the terminal, and is whole behind a pipe', async () => {
    for (const columns of [40, 80, 120]) {
      const { out } = await type(['namespace', 'list'], { seed, columns, terminal: true });
      for (const line of out.split('\n')) assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
      assert.match(out, /x…/);
    }
    assert.match((await type(['namespace', 'list'], { seed })).out, /x{150}/);
  });

  it('is coloured at a terminal only, and not with NO_COLOR or --no-color', async () => {
    const list = ['namespace', 'list'];
    const colour = { NO_COLOR: '' };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it starts a colour
    const style = /\x1b\[/;
    assert.match((await type(list, { env: colour, terminal: true })).out, style);
    assert.doesNotMatch((await type(list, { env: colour })).out, style);
    assert.doesNotMatch((await type(list, { env: { NO_COLOR: '1' }, terminal: true })).out, style);
    assert.doesNotMatch((await type(list, { env: { ...colour, TERM: 'dumb' }, terminal: true })).out, style);
    const forced = { ...colour, FORCE_COLOR: '1' };
    assert.match((await type(['check'], { seed, env: forced })).out, style);
    assert.doesNotMatch((await type(list, { env: { ...forced, FORCE_COLOR: '0' }, terminal: true })).out, style);
    assert.doesNotMatch((await type(list, { env: { ...forced, NO_COLOR: '1' }, terminal: true })).out, style);
    for (const argv of [
      ['--no-color', ...list],
      [...list, '--no-color'],
      [list[0] ?? '', '--no-color', 'list'],
    ])
      assert.doesNotMatch((await type(argv, { env: colour, terminal: true })).out, style);
  });
});
