/** Identifiers while a batch is written: each is that of one record of its kind. */
import { ConflictError } from '../../catalogue/errors.ts';
import { type RecordRef, recordStem, unitOf, withExtensions } from '../../catalogue/layout.ts';
import { allOf } from '../../catalogue/listing.ts';
import { find } from '../../catalogue/lookup.ts';
import { formatRef, type Refs, refOf } from '../../catalogue/ref.ts';
import { parseRecord } from '../../text/parse.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import { formatOf } from '../writing/pen.ts';
import type { Access } from './rights.ts';
import type { Draft } from './text.ts';

type Kind = RecordRef['kind'];

export class Ids {
  readonly #access: Access;
  readonly #holders = new Map<Kind, Map<number, RecordRef>>();
  /** The ids of records that are being written, or were. */
  readonly #claimed = new Map<string, number>();

  constructor(access: Access) {
    this.#access = access;
  }

  /** @throws ConflictError where another record has it; it names the other to whoever may see that */
  claim({ place: { ref }, value }: Draft): void {
    if (typeof value.id !== 'number') return;
    const holders = this.#holdersOf(ref.kind);
    const holder = holders.get(value.id);
    if (holder && stemFor(holder) !== stemFor(ref) && this.#idOf(holder) === value.id) {
      const name = this.#sees(holder) ? `${holder.kind} ${formatRef(holder)}` : `another ${holder.kind}`;
      throw new ConflictError(`The id ${value.id} is that of ${name}.`);
    }
    holders.set(value.id, ref);
    this.#claimed.set(stemFor(ref), value.id);
  }

  /** It was not written after all. */
  release({ place: { ref } }: Draft): void {
    this.#claimed.delete(stemFor(ref));
  }

  /** Addresses have changed: what was known is no more. */
  forget(): void {
    this.#holders.clear();
    this.#claimed.clear();
  }

  #holdersOf(kind: Kind): Map<number, RecordRef> {
    let holders = this.#holders.get(kind);
    if (!holders) {
      const all = allOf(this.#access.files.snapshot, kind);
      holders = new Map(Array.from(all, (entity) => [entity.id, refOf(entity) as RecordRef]));
      this.#holders.set(kind, holders);
    }
    return holders;
  }

  /** The id that a record has by now: it may be gone, or have another one. */
  #idOf(ref: RecordRef): unknown {
    const claimed = this.#claimed.get(stemFor(ref));
    if (claimed !== undefined) return claimed;
    for (const path of withExtensions(stemFor(ref)))
      try {
        const text = this.#access.files.store.tree.read(path)?.text;
        if (text === undefined) continue;
        const parsed = parseRecord(text, formatOf(path));
        return 'value' in parsed ? Object(parsed.value).id : null;
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
      }
    return null;
  }

  #sees(ref: RecordRef): boolean {
    try {
      return Boolean(find(this.#access.visible(), ref as Refs[Kind]));
    } catch {
      return false;
    }
  }
}

const stemFor = (ref: RecordRef) => (ref.kind === 'version' ? recordStem(ref) : recordStem(unitOf(ref)));
