/** Dates and sizes as pages write them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { examplesText } from '../../src/pages/example-values.ts';
import { localeFor } from '../../src/pages/locale.ts';

const english = localeFor('en');

for (const zone of ['America/New_York', 'Europe/Berlin', 'UTC'])
  it(`a time without an offset is in UTC on a machine in ${zone}`, () => {
    process.env.TZ = zone;
    for (const [time, day] of [
      ['2024-05-01T00:30:00', '1 May 2024'],
      ['2024-05-01 23:30', '1 May 2024'],
      ['2024-05-01T23:30:00-02:00', '2 May 2024'],
      ['2024-05-01T00:30:00.123Z', '1 May 2024'],
      ['2024-05-01', '1 May 2024'],
      ['soon', 'soon'],
    ] as const)
      assert.equal(english.date(time), day, time);
  });

it('a size is written with the unit that it has when it is rounded', () => {
  for (const [bytes, text] of [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [999_400, '999 kB'],
    [999_700, '1 MB'],
    [999_960_000, '1 GB'],
    [1_500_000, '1.5 MB'],
  ] as const)
    assert.equal(
      english
        .size(bytes)
        .replace(/bytes?/, 'B')
        .replaceAll(/\s/g, ' '),
      text,
      String(bytes),
    );
});

it('names in Arabic and Hebrew keep the digits and commas of a sentence in their place', () => {
  const isolated = '\u2068الرياض\u2069';
  const values = { name: 'الرياض', amount: '837 USD', at: '2024' };
  assert.equal(english.text('chartMost', values), `Highest at the end, 2024: ${isolated}, 837 USD.`);
  assert.deepEqual(english.fill('seenByThese', { names: 'الرياض' }).filter((part) => part === isolated).length, 1);
  assert.equal(english.list(['Ulm', 'الرياض', 'חיפה']), `Ulm, ${isolated} and \u2068חיפה\u2069`);
  // A mark that turns the direction around ends with the text that it stands in.
  assert.match(english.text('attributed', { publisher: 'a\u202eb' }), /\u2068a\u202eb\u2069\.$/);
  assert.doesNotMatch(english.text('attributed', { publisher: 'Ålesund 東京' }), /[\u2066-\u2069]/);
});

it('examples in Arabic and Hebrew stand in the order of a list', () => {
  const shown = { type: 'string', distinct: 3, examples: ['الرياض', 'جدة', 'Mecca'] } as const;
  assert.match(examplesText(english, shown, 20), /\u2068الرياض\u2069, \u2068جدة\u2069, Mecca/);
});
