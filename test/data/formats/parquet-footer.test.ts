import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { Footer } from '../../../src/data/formats/parquet/footer.ts';

// The number of row groups is a part of one byte up to 14, and a number of its own from 15 on.
for (const groups of [1, 14, 15, 200])
  test(`a footer of ${groups} row groups, each added when it is written, is that of all of them at once`, () => {
    const schema: SchemaElement[] = [
      { name: 'schema', num_children: 2 },
      { name: 'id', type: 'INT32', repetition_type: 'OPTIONAL' },
      { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    ];
    const sink = new ByteWriter();
    const writer = new ParquetWriter({ writer: sink, schema, createdBy: 'catalogue' });
    const footer = new Footer();
    for (let group = 0; group < groups; group++) {
      const columnData = [
        { name: 'id', data: [group, null, group * 2] },
        { name: 'name', data: [`tree ${group}`, 'é', null] },
      ];
      writer.write({ columnData, rowGroupSize: 3 });
      footer.add(writer.row_groups.at(-1) ?? assert.fail(), schema);
    }
    // The type of a column may be known after its last row only.
    schema[1] = { ...schema[1], name: 'id', field_id: 7 };
    writer.kvMetadata = [{ key: 'geo', value: '{}' }];
    const start = sink.index;
    writer.finish();
    assert.deepEqual(
      footer.finish({ schema, created_by: 'catalogue', key_value_metadata: writer.kvMetadata }),
      sink.getBytes().slice(start),
    );
  });
