/** Random records for property tests: of the shapes that a catalogue's files have, with every character there is. */
import fc from 'fast-check';
import { anyCharacter } from '../support/characters.ts';

const word = fc.constantFrom(
  'id',
  'label',
  'description',
  'name',
  'type',
  'unit',
  'columns',
  'keywords',
  'notes',
  'file',
);
const awkward = fc.constantFrom(
  ...['', ' ', 'yes', 'No', 'null', '~', 'true', '1.10', '007', '2020-01-01', '12:30', '20240131123456000000', '1e3'],
  ...[
    '0x1F',
    '.5',
    '-',
    '- a',
    '?',
    ': ',
    'a: b',
    'a #b',
    '#a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    "it's",
    '"x"',
    '@a',
    '`',
    '%a',
  ],
  ...[
    '[a]',
    '{a',
    'a, b',
    '---',
    '...',
    '--- a',
    'a:',
    '<<',
    '=',
    '__proto__',
    'constructor',
    '\ta',
    'a\t',
    'a\tb',
    '\\n',
  ],
  ...[
    'a\nb',
    'a\nb\n',
    'a\n\nb\n',
    'a\n\n\n',
    '\na',
    ' a\nb',
    'a\n  b\n',
    'a\n \nb',
    'a\r\nb',
    'a \nb ',
    '# a\nb',
    'a\n',
  ],
  ...[
    'é',
    '日本語',
    '😀',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u00a0',
    '\u007f',
    '\u0000',
    '\u0007',
    '\ufffe',
    'a\u00a0',
    '°C',
  ],
);

export const text = fc.oneof(
  { weight: 3, arbitrary: awkward },
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.lorem({ maxCount: 12 }),
);

export const key = fc.oneof({ weight: 4, arbitrary: word }, text);

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
export const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  number.map((value) => (value === 0 ? 0 : value)),
  fc.boolean(),
  fc.constant(null),
);

const mapping = (value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(key, value), { maxLength: 5 }).map((pairs): Record<string, unknown> => Object.fromEntries(pairs));

export const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('mapping')),
  list: fc.oneof(
    fc.array(tie('value'), { maxLength: 4 }),
    fc.uniqueArray(
      fc.record({ name: text, type: scalar, label: tie('value') }, { requiredKeys: ['name'], noNullPrototype: true }),
      {
        maxLength: 5,
        selector: (item) => item.name,
      },
    ),
  ),
  mapping: mapping(tie('value')),
})).value;

export const record = mapping(value);

/** A value that differs from another in one place or a few, as an edit does: `choices` says where and how. */
export function altered(value: unknown, choices: readonly number[], fresh: unknown): unknown {
  const [where = 0, how = 0, ...rest] = choices;
  if (choices.length === 0 || value === null || typeof value !== 'object') return fresh;
  const entries = Object.entries(value);
  const at = where % (entries.length + 1);
  const entry = entries[at];
  if (entry === undefined || how % 4 === 0) entries.splice(at, 0, [`new ${where}`, fresh]);
  else if (how % 4 === 1) entries.splice(at, 1);
  else entry[1] = altered(entry[1], rest, fresh);
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
