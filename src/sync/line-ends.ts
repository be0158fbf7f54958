/**
 * Local records without regard to their line ends. Git (core.autocrlf) and editors on Windows write CRLF, which changes no
 * field: a record that differs from the last common state in this only counts as unchanged, and others are compared and
 * sent with LF.
 */
import { Readable } from 'node:stream';
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import type { FileEntry, RecordChange, Replica } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import type { FileState, Files } from './files.ts';
import { nullIfRefused } from './run.ts';
import type { SyncState } from './state.ts';
import { makeRecordTextReader, type TextSpool, textsAtOnce } from './texts.ts';

const withLf = (text: string): string => text.replaceAll('\r\n', '\n');

/** A record as it is compared and sent, which has other line ends than its file. */
interface OtherLineEnds extends FileState {
  /** Checksum of the file. */
  readonly actual: string;
  readonly text: string | null;
}

/**
 * The local files as they are compared, and the local catalogue in which they are these.
 * @param spool has texts of local records, by the checksums of their files
 */
export async function withoutLineEnds(
  replica: Replica,
  files: Files,
  theirs: Files,
  { state, spool, signal }: { state: SyncState; spool: TextSpool | undefined; signal: AbortSignal | undefined },
): Promise<{ readonly files: Files; readonly replica: Replica }> {
  const texts = makeRecordTextReader(replica, spool, signal);
  const others = new Map<string, OtherLineEnds>();
  const candidates = [...files].filter(
    ([path, { checksum }]) =>
      checksum !== '' &&
      !isBytesPath(path) &&
      checksum !== state.files.get(path)?.checksum &&
      checksum !== theirs.get(path)?.checksum,
  );
  await forEachConcurrent(candidates, textsAtOnce, async ([path, { checksum: actual }]) => {
    const text = await texts.get(path, actual).catch(nullIfRefused);
    if (text === null) return;
    const before = await state.text(path);
    const lf = withLf(text);
    const isUnchanged = before !== null && withLf(before) === lf;
    const compared = isUnchanged ? before : lf;
    if (compared === text) return;
    const size = Buffer.byteLength(compared);
    // Most have LF then, and are made of their files again: many may have changed.
    others.set(path, { checksum: computeChecksum(compared), size, actual, text: compared === lf ? null : compared });
  });
  if (others.size === 0) return { files, replica };
  const asCompared = ([path, file]: readonly [string, FileState]): [string, FileState] => {
    const other = others.get(path);
    return [path, other ? { checksum: other.checksum, size: other.size } : file];
  };
  const textOf = async (path: string, { actual, text }: OtherLineEnds) => text ?? withLf(await texts.get(path, actual));
  return { files: new Map(Array.from(files, asCompared)), replica: makeReplica(replica, files, others, textOf) };
}

/** The local catalogue, in which some records have other line ends. @param files as they are */
function makeReplica(
  replica: Replica,
  files: Files,
  others: ReadonlyMap<string, OtherLineEnds>,
  textOf: (path: string, other: OtherLineEnds) => Promise<string>,
): Replica {
  const actualChecksums = new Map(Array.from(others.values(), ({ checksum, actual }) => [checksum, actual]));
  const actualOf = (path: string, checksum: string): string => {
    // At any other path lies a record that this run has moved.
    if (!files.has(path)) return actualChecksums.get(checksum) ?? checksum;
    const other = others.get(path);
    return other?.checksum === checksum ? other.actual : checksum;
  };
  const withActual = (change: RecordChange): RecordChange => {
    const { ifMatch } = change;
    const path = change.do === 'write' ? (change.replaces ?? change.path) : change.path;
    return typeof ifMatch === 'string' ? ({ ...change, ifMatch: actualOf(path, ifMatch) } as RecordChange) : change;
  };
  async function* entriesOf(entries: AsyncIterable<FileEntry> | Iterable<FileEntry>): AsyncGenerator<FileEntry> {
    for await (const entry of entries) {
      const other = others.get(entry.path);
      if (other?.actual !== entry.checksum) yield entry;
      else {
        const { checksum, size } = other;
        const text = entry.text === undefined ? {} : { text: other.text ?? withLf(entry.text) };
        yield { ...entry, checksum, size, ...text };
      }
    }
  }
  const fitColumns = replica.fitColumns?.bind(replica);
  return {
    async manifest(options) {
      const manifest = await replica.manifest(options);
      return manifest && { tag: manifest.tag, entries: entriesOf(manifest.entries) };
    },
    digests: (count, options) => replica.digests(count, options),
    entry: (path) => replica.entry(path),
    async read(path, options = {}) {
      const other = others.get(path);
      if (!other || other.checksum !== options.checksum) return replica.read(path, options);
      const { start = 0, end = Number.POSITIVE_INFINITY } = options;
      const part = Buffer.from(await textOf(path, other)).subarray(start, end + 1);
      return Readable.from(part.length ? [part] : [], { objectMode: false });
    },
    apply: (changes, options) => replica.apply(changes.map(withActual), options),
    put: (path, bytes) => replica.put(path, bytes),
    ...(fitColumns && { fitColumns }),
  };
}
