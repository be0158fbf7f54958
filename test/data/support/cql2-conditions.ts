/** Random conditions of CQL2. */
import fc from 'fast-check';
import { arithmeticOps, arrayOps, comparisonOps, spatialOps, temporalOps } from '../../../src/data/query/cql2/tree.ts';
import type { PlainNode } from './cql2.ts';

/** Conditions of properties of these names, of any types: most compare what can't be compared. */
export function conditions(names: fc.Arbitrary<string>): fc.Arbitrary<PlainNode> {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("O'Neill", 'a\\tb', '\\', 'tab\t', "\\'", '%50\\%', '\n\r\v\f\b\x07'),
  );
  const literal = fc.oneof(number, text).map((value): PlainNode => ({ kind: 'literal', value }));
  const property = names.map((name): PlainNode => ({ kind: 'property', name }));
  const date = fc.constantFrom('2020-02-29', '1969-07-20').map((one): PlainNode => ({ kind: 'date', text: one }));
  const timestamp = fc
    .constantFrom('2020-02-29T10:00:00Z', '2020-02-29T10:00:00.25Z')
    .map((one): PlainNode => ({ kind: 'timestamp', text: one }));
  const instant = fc.oneof(date, timestamp);
  const interval = fc
    .tuple(fc.option(fc.oneof(instant, property)), fc.option(fc.oneof(instant, property)))
    .map((ends): PlainNode => ({ kind: 'interval', ends }));
  const position = fc.tuple(number, number).map((pair) => pair.map((one) => one + 0));
  const geometry = fc.oneof(
    position.map((coordinates): PlainNode => ({ kind: 'geometry', geometry: { type: 'Point', coordinates } })),
    fc
      .array(position, { minLength: 2, maxLength: 4 })
      .map((coordinates): PlainNode => ({ kind: 'geometry', geometry: { type: 'LineString', coordinates } })),
    fc.tuple(number, number, number, number).map((numbers): PlainNode => ({ kind: 'bbox', numbers })),
  );
  const call = (op: string, args: readonly PlainNode[]): PlainNode => ({ kind: 'call', op, args });

  const trees = fc.letrec<{ scalar: PlainNode; array: PlainNode; condition: PlainNode }>((tie) => ({
    scalar: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      property,
      literal,
      instant,
      fc.tuple(fc.constantFrom(...arithmeticOps), tie('scalar'), tie('scalar')).map(([op, a, b]) => call(op, [a, b])),
      fc.tuple(fc.constantFrom('casei', 'accenti', 'Foo'), tie('scalar')).map(([op, a]) => call(op, [a])),
    ),
    array: fc
      .array(fc.oneof({ maxDepth: 2 }, literal, property, tie('array')), { maxLength: 3 })
      .map((items): PlainNode => ({ kind: 'array', items })),
    condition: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.tuple(fc.constantFrom(...comparisonOps), tie('scalar'), tie('scalar')).map(([op, a, b]) => call(op, [a, b])),
      fc.tuple(tie('scalar'), tie('scalar'), tie('scalar')).map((args) => call('between', args)),
      fc
        .tuple(tie('scalar'), fc.array(tie('scalar'), { minLength: 1, maxLength: 3 }))
        .map(([a, items]) => call('in', [a, { kind: 'array', items }])),
      fc.tuple(tie('scalar'), text).map(([a, value]) => call('like', [a, { kind: 'literal', value }])),
      fc.oneof(tie('scalar'), tie('condition')).map((a) => call('isNull', [a])),
      fc
        .tuple(fc.constantFrom(...spatialOps), fc.oneof(property, geometry), fc.oneof(property, geometry))
        .map(([op, a, b]) => call(op, [a, b])),
      fc
        .tuple(fc.constantFrom(...temporalOps), fc.oneof(property, interval, instant), fc.oneof(property, interval))
        .map(([op, a, b]) => call(op, [a, b])),
      fc
        .tuple(fc.constantFrom(...arrayOps), fc.oneof(property, tie('array')), tie('array'))
        .map(([op, a, b]) => call(op, [a, b])),
      fc.boolean().map((value): PlainNode => ({ kind: 'literal', value })),
      tie('condition').map((a) => call('not', [a])),
      fc.tuple(tie('condition'), tie('condition')).map((args) => call('and', args)),
      fc.tuple(tie('condition'), tie('condition'), tie('condition')).map((args) => call('or', args)),
    ),
  }));

  return trees.condition;
}
