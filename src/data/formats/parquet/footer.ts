/**
 * The end of a Parquet file: its metadata (FileMetaData of parquet.thrift), their length, and the magic number. Row groups are
 * encoded one at a time, when they are written: all those of a million rows at once take some 40 ms, in one turn.
 */
import type { FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

/** What is known of a file after its last row, but for its row groups. */
export type FileFacts = Pick<FileMetaData, 'schema' | 'created_by' | 'key_value_metadata'>;

/** Number of a struct among the types of Thrift's compact protocol. */
const structType = 12;
/** Bytes behind the metadata that `writeMetadata` adds: their length. */
const lengthSize = 4;

export class Footer {
  readonly #groups = new ByteWriter();
  #count = 0;
  #rows = 0n;

  /** Adds a row group, all of whose bytes are written. The elements of the schema may change until `finish`. */
  add(group: RowGroup, schema: readonly SchemaElement[]): void {
    this.#groups.appendBytes(encodeWithGroup({ schema: [...schema] }, group).group);
    this.#count++;
    this.#rows += group.num_rows;
  }

  finish(facts: FileFacts): Uint8Array {
    const { before, after } = encodeWithGroup(facts, { columns: [], total_byte_size: 0n, num_rows: 0n }, this.#rows);
    const sink = new ByteWriter();
    sink.appendBytes(before);
    if (this.#count < 15) sink.appendUint8((this.#count << 4) | structType);
    else {
      sink.appendUint8((15 << 4) | structType);
      sink.appendVarInt(this.#count);
    }
    sink.appendBytes(this.#groups.getBytes());
    sink.appendBytes(after);
    sink.appendUint32(sink.offset);
    sink.appendBytes(new TextEncoder().encode('PAR1'));
    return sink.getBytes();
  }
}

/**
 * Encodes metadata with one row group.
 * @returns the bytes of the group, and those before and after the list of row groups
 */
function encodeWithGroup(facts: Partial<FileFacts>, group: RowGroup, rows = 0n) {
  const encode = (groups: RowGroup[]) => {
    const sink = new ByteWriter();
    const metadata = { version: 2, schema: [], num_rows: rows, row_groups: groups, ...facts };
    // `metadata_length` is a fact of files that are read.
    writeMetadata(sink, metadata as unknown as FileMetaData);
    return sink.getBytes().subarray(0, -lengthSize);
  };
  const [none, one] = [encode([]), encode([group])];
  // They differ first in the head of the list, a byte that has the number of its items.
  const head = none.findIndex((byte, at) => byte !== one[at]);
  const after = none.subarray(head + 1);
  return { before: none.subarray(0, head), group: one.subarray(head + 1, one.length - after.length), after };
}
