import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ageText } from '../../src/cli/output/quantities.ts';
import { textWidth, wrapText } from '../../src/cli/output/width.ts';
import { seed, trees, type } from '../support/prompt.ts';

const day = 86_400_000;
const moment = '2026-01-31T12:00:00.000000Z';
const after = (milliseconds: number) => Date.parse(moment) + milliseconds;
/** The name of a version that was made so many days ago. */
const slugOf = (days: number) => new Date(Date.now() - days * day).toISOString().replace(/\D/g, '').padEnd(20, '0');

const columns = [
  { type: 'geometry', name: 'geometry' },
  {
    type: 'float',
    name: 'height',
    unit: 'm',
    label: '高さ',
    description: 'From the ground to the top. '.repeat(5).trim(),
  },
  { type: 'string', name: 'nom_e\u0301', label: '👨‍👩‍👧 family' },
];
const version = {
  checksum: 'a'.repeat(64),
  rows: 1_234_567,
  file: { name: 'trees.csv', format: 'csv', size: trees.length },
};
const rich = {
  ...seed,
  datasets: {
    'parks/trees': {
      id: 11,
      label: '木 🌳',
      description: `${'一二三四五'.repeat(20)}\n\n  ${'word '.repeat(40)}`,
      columns,
    },
    'parks/empty': { id: 12, label: 'Empty' },
  },
  versions: Object.fromEntries(
    Array.from({ length: 13 }, (_, n) => [
      `parks/trees@${slugOf(3 * (n + 1))}`,
      { id: n + 1, ...version, ready: n > 0 },
    ]),
  ),
};

describe('ages', () => {
  it('are in the greatest unit of which there is a whole one', () => {
    const ages: readonly [number, string][] = [
      [1_000, '1 second ago'],
      [59_000, '59 seconds ago'],
      [3_600_000, '1 hour ago'],
      [3.9 * day, '3 days ago'],
      [8 * day, '1 week ago'],
      [40 * day, '1 month ago'],
      [800 * day, '2 years ago'],
      [-2 * day, 'in 2 days'],
    ];
    for (const [passed, age] of ages) assert.equal(ageText(moment, after(passed)), age);
    assert.equal(ageText('', after(0)), '');
  });
});

describe('wrapping', () => {
  it('keeps to the width, and all that is not blank', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 30 }), (text, to) => {
        const wrapped = wrapText(text, to);
        for (const line of wrapped.split('\n')) assert.ok(textWidth(line) <= to, JSON.stringify(line));
        assert.equal(wrapped.replace(/\s/g, '').normalize(), text.replace(/\s/g, '').normalize());
      }),
    );
  });

  it('indents what goes on', () => {
    assert.equal(wrapText('  one two three', 10), '  one two\n  three');
  });
});

describe('dataset show', () => {
  const show = ['dataset', 'show', 'parks/trees'];

  it('has columns and versions as tables, whole and in line, in any terminal', async () => {
    for (const terminal of [70, 80, 120]) {
      const { out, err } = await type(show, { seed: rich, terminal: true, columns: terminal });
      const lines = out.split('\n');
      for (const line of lines) assert.ok(textWidth(line) <= terminal, `${terminal}: ${line}`);
      assert.ok(!out.includes('…'), 'nothing is cut');
      assert.match(out, /^rows +1,234,567$/m);
      assert.match(out, /^size +80 B$/m);
      assert.match(out, /^updated +6 days ago$/m);

      const start = lines.indexOf('Columns (3)') + 1;
      assert.match(lines[start] ?? '', /^NAME +TYPE +UNIT +LABEL +DESCRIPTION$/);
      const at = (text: string, line = '') => textWidth(line.slice(0, line.indexOf(text)));
      const [heading, , height] = lines.slice(start);
      const family = lines.find((line) => line.includes('family'));
      assert.equal(at('LABEL', heading), at('高さ', height));
      assert.equal(at('LABEL', heading), at('👨‍👩‍👧', family));

      assert.match(out, /^Versions \(13\)\nVERSION .* ROWS +SIZE$/m);
      assert.match(out, new RegExp(`^${slugOf(3).slice(0, 8)}\\d{12} +3 days ago +no +csv +1,234,567 +80 B$`, 'm'));
      assert.match(err, /^3 more versions\. All of them: catalogue version list parks\/trees$/m);
    }
  });

  it('shows people a hundred columns, and says what lists all of them', async () => {
    const wide = {
      ...seed,
      datasets: {
        'parks/wide': {
          id: 11,
          label: 'Wide',
          columns: Array.from({ length: 150 }, (_, n) => ({ type: 'integer' as const, name: `c${n}` })),
        },
      },
    };
    const argv = ['dataset', 'show', 'parks/wide', '--data', 'catalogue-data'];
    const { out, err } = await type(argv, { seed: wide, terminal: true });
    assert.match(out, /^Columns \(150\)\n(?:.*\n){101}$/m);
    assert.match(err, /^50 more columns\. All of them: catalogue column list parks\/wide --data catalogue-data$/m);
    assert.match((await type(argv, { seed: wide })).out, /\tc149\t/);
  });

  it('says where there are no data, and has no empty tables', async () => {
    const { out } = await type(['dataset', 'show', 'parks/empty'], { seed: rich, terminal: true });
    assert.match(out, /^data +No version yet\.$/m);
    assert.doesNotMatch(out, /Columns|Versions/);
  });

  it('is the same as ever behind a pipe: a line for each thing, with all versions', async () => {
    const { out, err } = await type(show, { seed: rich });
    assert.equal(err, '');
    const lines = out.trimEnd().split('\n');
    assert.equal(lines.filter((line) => line.startsWith('version\t')).length, 13);
    assert.match(out, /^column\theight\tfloat\t高さ\tm\tFrom the ground/m);
    assert.match(out, /^version\t\d{20}\t[-\dT:.]+Z\tyes\tcsv\t1234567\t80$/m);
    for (const line of lines) assert.match(line, /^[a-z_]+\t/);
  });
});

describe('version show', () => {
  it('has age and size as people read them at a terminal, and numbers behind a pipe', async () => {
    const argv = ['version', 'show', 'parks/trees@latest'];
    const { out } = await type(argv, { seed: rich, terminal: true });
    assert.match(out, /^datetime +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, 6 days ago$/m);
    assert.match(out, /^size +80 B$/m);
    assert.match((await type(argv, { seed: rich })).out, /^size\t80\nrows\t1234567$/m);
  });
});
