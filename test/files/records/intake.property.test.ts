/** A published file, however odd, makes records that pass the check. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ValidationError } from '../../../src/catalogue/errors.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { anyCharacter } from '../../support/characters.ts';
import { makeWorkshop } from '../../support/published.ts';

const long = 'n'.repeat(300);
const feature = (properties: unknown, coordinates: unknown = [1, 2]) =>
  JSON.stringify({ type: 'Feature', properties, geometry: { type: 'Point', coordinates } });

const hostile: readonly (readonly [fileName: string, content: string | Buffer])[] = [
  ['long.csv', `${long},${long},${long}2\n1,2,3\n`],
  ['emoji.csv', `${'😀'.repeat(300)},b\n1,2\n`],
  ['long.ndjson', `${JSON.stringify({ [long]: 1, [`${long}x`]: 2 })}\n`],
  ['surrogate.ndjson', '{"\\ud800":1,"a\\u0000b":2,"":3,"__proto__":4,"constructor":5}\n'],
  ['names.csv', 'geometry,geometry,,"a\nb",a: b,- c,#d,"e""f",null,true,1,~\n1,2,3,4,5,6,7,8,9,10,11,12\n'],
  ['names.geojson', `${feature({ geometry: 1, type: 2, id: 3, '\u2028': 4, '\u0085': 5, '\ufeff': 6 })}`],
  ['wide.csv', `${Array.from({ length: 2000 }, (_, n) => `column number ${n} ${'x'.repeat(200)}`).join()}\n1\n`],
  ['numbers.csv', 'a,b,c,d\ninf,nan,1e308,-0\n-inf,1e999,5e-324,0\n'],
  ['huge.geojson', feature({ a: 1e300 }, [180, 90, 1e300])],
  ['empty.geojson', '{"type":"FeatureCollection","features":[]}'],
  ['header.csv', 'a,b\n'],
  ['unknown.xyz', 'whatever'],
  [`${'f'.repeat(200)}.csv`, 'a\n1\n'],
  ['name with blanks & "quotes".csv', 'a\n1\n'],
  ['german.csv', 'preis;datum\n1,5;31.12.2024\n2,5;1.1.2025\n'],
  ['mixed.csv', 'a;b\n1,5;31.12.2024\nx;y\n'],
];

const word = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.constantFrom('', 'lat', 'lon', 'x', 'y', long),
);
const cell = fc.oneof(
  fc.string(),
  fc.double().map(String),
  fc.constantFrom(
    '1,5',
    '31.12.2024',
    'POINT(1 2)',
    'POINT(1000 2000)',
    'SRID=25833;POINT(391390 5817855)',
    '007',
    '',
    'true',
  ),
);
const quoted = (text: string) => `"${text.replaceAll('"', '""').replaceAll('\0', '')}"`;
const csv = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 5 }),
    fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 5 }),
    fc.constantFrom(',', ';', '\t'),
  )
  .map(([names, rows, delimiter]) => [names, ...rows].map((row) => row.map(quoted).join(delimiter)).join('\n'));
const objects = fc
  .array(fc.dictionary(word, fc.jsonValue()), { minLength: 1, maxLength: 4 })
  .map((rows) => rows.map((row) => JSON.stringify(row)).join('\n'));

test('what is published passes the check', async (t) => {
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  let published = 0;
  let count = 0;
  const attempt = async (fileName: string, content: string | Buffer) => {
    try {
      await workshop.publish(`data-${count++}`, fileName, content);
      published++;
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
    }
  };
  for (const [fileName, content] of hostile) await attempt(fileName, content);
  assert.equal(published, hostile.length);
  const options = { numRuns: 20, endOnFailure: true };
  await fc.assert(
    fc.asyncProperty(csv, (content) => attempt('a.csv', content)),
    options,
  );
  await fc.assert(
    fc.asyncProperty(objects, (content) => attempt('a.ndjson', content)),
    options,
  );
  assert.ok(published > hostile.length + 10);
  const { problems } = await checkCatalogueFiles(workshop.root, { deep: true });
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error'),
    [],
  );
});
