/** Metadata of versions: plain YAML in the file, and the same bytes as before in the API. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { mappingOfMetadata, metadataForPeople } from '../../../src/catalogue/metadata.ts';
import type { VersionRef } from '../../../src/catalogue/ref.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { metadataForRecord } from '../../../src/files/records/metadata.ts';
import { newRecordText } from '../../../src/text/document.ts';
import { anyCharacter } from '../../support/characters.ts';
import { makeWorkshop, type Workshop } from '../../support/published.ts';

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

/** JSON that a mapping doesn't give back byte for byte, and other texts. */
const odd = [
  '{"a":1,"a":2}',
  '{"a":12345678901234567890}',
  '{"a":-0}',
  '{"a":1.0}',
  '{"a":1e2}',
  '{"a":1e999}',
  '{"b":1,"1":2}',
  '{"a": 1}',
  '{"a":"\\u00e9"}',
  '{"a":1}\n',
  '\ufeff{"a":1}',
  '[1]',
  '"text"',
  'null',
  '1',
  '{"a":',
  '',
].map(base64);
const others = [
  'This is opaque',
  '{"a":1}',
  '12',
  'true',
  base64(new Uint8Array([0x7b, 0xff, 0x7d])),
  base64('{"a":1}').replace(/=*$/, ''),
  `${base64('{"a":1}')}=`,
];
const deep = base64(`${'{"a":'.repeat(60)}null${'}'.repeat(60)}`);
/** JSON.parse reads it; JSON.stringify, which is recursive, doesn't write it. */
const deepest = base64(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
const longKey = base64(JSON.stringify({ ['k'.repeat(2000)]: 1 }));

const json = fc.oneof(
  fc.object({
    withNullPrototype: false,
    values: [fc.string({ unit: 'grapheme' }), fc.double(), fc.integer(), fc.boolean()],
  }),
  fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()),
  fc.constant(JSON.parse('{"__proto__":1,"constructor":{"x":[]},"":{}}')),
);
const text = fc.oneof(
  json.map((value) => base64(JSON.stringify(value))),
  json.map((value) => base64(JSON.stringify(value, null, 1))),
  fc.uint8Array().map(base64),
  fc.string(),
  fc.constantFrom(...odd, ...others, deep, deepest, longKey),
);

/** The text after it was written in a record, and read again. */
function throughYaml(sent: string): string {
  const { metadata } = parse(newRecordText({ metadata: metadataForRecord(sent) }, []), { version: '1.2' });
  return typeof metadata === 'string' ? metadata : base64(JSON.stringify(metadata));
}

describe('metadata in a record', () => {
  it('give back the same bytes, whatever was sent', () => {
    fc.assert(
      fc.property(text, (sent) => assert.equal(throughYaml(sent), sent)),
      { numRuns: 500 },
    );
  });

  it('are a mapping where JSON gives it back, and else the text', () => {
    assert.deepEqual(metadataForRecord(base64('{"rows":3,"source":"a.csv"}')), { rows: 3, source: 'a.csv' });
    for (const sent of [...odd, ...others, deep, deepest, longKey]) assert.equal(metadataForRecord(sent), sent);
    const large = base64(JSON.stringify({ a: Array.from({ length: 200_000 }, () => 1) }));
    assert.equal(metadataForRecord(large), large, 'a record has a maximum size');
  });

  it('keep the order of keys over an edit, which keeps that of the file', () => {
    const [ab, ba] = [base64('{"a":1,"b":{"x":1}}'), base64('{"b":{"x":1},"a":1}')];
    assert.deepEqual(metadataForRecord(ab, { a: 0 }), { a: 1, b: { x: 1 } });
    assert.equal(metadataForRecord(ba, { a: 1, b: { x: 1 } }), ba);
  });

  it('are readable for people', () => {
    assert.deepEqual(metadataForPeople(base64('{"rows":3}')), { rows: 3 });
    assert.equal(metadataForPeople(base64('{"rows": 3}')), '{"rows": 3}');
    assert.equal(metadataForPeople('opaque'), 'opaque');
    assert.equal(metadataForPeople(deepest), deepest);
    assert.equal(mappingOfMetadata(base64('{"rows": 3}')), null);
  });
});

describe('metadata of a version', () => {
  let workshop: Workshop;
  let ref: VersionRef;
  let path: string;
  before(async () => {
    workshop = await makeWorkshop();
    const { version } = await workshop.publish('trees', 'Bäume.csv', 'name,height\noak,12.5\n');
    ref = { kind: 'version', namespace: 'lab', dataset: 'trees', slug: version.slug };
    path = join(workshop.root, `namespaces/lab/datasets/trees/versions/${version.slug}.yaml`);
  });
  after(() => workshop.remove());
  const read = async () => (await workshop.catalogue.get<'version'>(ref)).metadata;

  it('are plain YAML in its file, a key on each line', async () => {
    const yaml = readFileSync(path, 'utf8');
    assert.match(yaml, /^metadata:\n {2}format: csv\n {2}rows: 1\n/m);
    assert.match(yaml, /^ {2}source: Bäume\.csv\n {2}columns:\n {4}- name: name\n {6}nulls: 0\n/m);
    const summary = JSON.parse(Buffer.from(await read(), 'base64').toString());
    assert.deepEqual(summary, parse(yaml).metadata);
  });

  it('come back byte for byte after each of many edits', async () => {
    const edits = fc.array(
      text.filter((sent) => sent === sent.trim() && !/\0|\p{Surrogate}/u.test(sent)),
      { maxLength: 6 },
    );
    const property = fc.asyncProperty(edits, async (sent) => {
      for (const metadata of sent) {
        const { metadata: now } = await workshop.catalogue.edit<'version'>(ref, { metadata });
        assert.equal(now, metadata);
        assert.equal(await read(), metadata);
      }
    });
    await fc.assert(property, { numRuns: 12 });
  });

  it('come back as they were given to a new version', async () => {
    for (const metadata of [base64('{"b":[1,{"c":null}]}'), base64('{"a": 1}'), 'opaque', deepest]) {
      const source = Readable.from([Buffer.from(`a\n${metadata.length}\n`)]);
      const dataset = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
      const { version } = await workshop.catalogue.publish(dataset, {
        source,
        fileName: 'a.csv',
        metadata,
        force: true,
      });
      assert.equal(version.metadata, metadata);
    }
  });

  it('of both forms are the same to the API, and only check --fix rewrites base64', async () => {
    const metadata = base64('{"rows":3,"source":"a.csv"}');
    await workshop.catalogue.edit<'version'>(ref, { metadata });
    const rest = parse(readFileSync(path, 'utf8'));
    assert.deepEqual(rest.metadata, { rows: 3, source: 'a.csv' });
    const old = readFileSync(path, 'utf8').replace(/^metadata:\n(?: .*\n)+/m, `# ours\nmetadata: ${metadata}\n`);
    writeFileSync(path, old);
    const entity = await workshop.catalogue.edit<'version'>(ref, { notes: 'Other' });
    assert.equal(entity.metadata, metadata);
    assert.match(readFileSync(path, 'utf8'), new RegExp(`^metadata: ${metadata}$`, 'm'), 'an edit leaves it');
    assert.deepEqual((await checkCatalogueFiles(workshop.root)).problems, []);
    const { fixed, problems } = await checkCatalogueFiles(workshop.root, { fix: true });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      fixed.map(({ message, line }) => [message, line > 1]),
      [['metadata is base64, and can be written as YAML.', true]],
    );
    assert.match(readFileSync(path, 'utf8'), /^# ours\nmetadata:\n {2}rows: 3\n {2}source: a\.csv\n/m);
    assert.deepEqual((await checkCatalogueFiles(workshop.root, { fix: true })).fixed, []);
  });
});
