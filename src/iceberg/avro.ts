/** Object container files of Avro 1.11 (specification, "Object Container Files"), uncompressed, in one block. */
import { createHash } from 'node:crypto';
import avro from 'avsc';

const header = avro.Type.forSchema({
  type: 'record',
  name: 'org.apache.avro.file.Header',
  fields: [
    { name: 'magic', type: { type: 'fixed', name: 'Magic', size: 4 } },
    { name: 'meta', type: { type: 'map', values: 'bytes' } },
    { name: 'sync', type: { type: 'fixed', name: 'Sync', size: 16 } },
  ],
});
const long = avro.Type.forSchema('long');

/** A schema of Avro, with the attributes that Iceberg adds. */
export type AvroSchema = Readonly<Record<string, unknown>>;

/** Writes records: the same bytes for the same records. @param metadata further texts for the header, by key */
export function writeAvro(
  schema: AvroSchema,
  records: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Buffer {
  // The schema in the header is the one that is given: avsc would drop the ids of fields.
  const texts = { ...metadata, 'avro.schema': JSON.stringify(schema), 'avro.codec': 'null' };
  const type = avro.Type.forSchema(schema as unknown as Parameters<typeof avro.Type.forSchema>[0]);
  const body = Buffer.concat(records.map((record) => type.toBuffer(record)));
  const sync = createHash('md5').update(JSON.stringify(texts)).update(body).digest();
  const meta = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text)]));
  const block = records.length ? [long.toBuffer(records.length), long.toBuffer(body.length), body, sync] : [];
  return Buffer.concat([header.toBuffer({ magic: Buffer.from('Obj\u0001', 'latin1'), meta, sync }), ...block]);
}
