/** Ids of records that are written by a viewer who doesn't see all records. */
import { randomUnusedId } from '../../catalogue/ids.ts';
import type { RecordRef } from '../../catalogue/layout.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { restrictSnapshotToVisible, type Viewer } from '../../catalogue/permissions.ts';
import { RecordsById, type RecordValue } from '../../catalogue/record-set.ts';
import { formatRef, refOf } from '../../catalogue/ref.ts';
import { schemas } from '../../catalogue/schemas.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { editRecord } from '../../text/document.ts';
import type { RecordText } from '../../text/parse.ts';

export class UnusedIds {
  readonly #viewer: Viewer;
  #recordsById: RecordsById | undefined;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  /**
   * The text of a record, with a new id if it has that of a record that the viewer may not see: an error would tell that
   * there is one. A client that pushes gets the new id with its next pull.
   */
  replaceHidden(snapshot: Snapshot, ref: RecordRef, source: RecordText, record: RecordValue): RecordText {
    const visible = restrictSnapshotToVisible(this.#viewer, snapshot);
    if (visible === snapshot) return source;
    if (this.#recordsById?.snapshot !== snapshot) this.#recordsById = new RecordsById(snapshot);
    const records = this.#recordsById.ofKind(ref.kind);
    const refs = (records.get(Number(record.id)) ?? []).map((entity) => refOf(entity) as RecordRef);
    // The record itself may be hidden, too: then its own path has it.
    if (!refs.some((one) => !findEntity(visible, one) && formatRef(one) !== formatRef(ref))) return source;
    const id = randomUnusedId((one) => records.has(one));
    return editRecord(source, { id }, Object.keys(schemas[ref.kind].properties));
  }
}
