/** Versions in other formats than their own, as files that are kept in the folder's cache. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { UnavailableError } from '../catalogue/errors.ts';
import type { RowsFile } from '../catalogue/open-file.ts';
import { type OutputFormatName, offeredFormats, outputFormats } from '../catalogue/output-formats.ts';
import type { Version } from '../catalogue/types.ts';
import { streamOfChunks } from '../data/derived/chunk-stream.ts';
import { DerivedFileStore } from '../data/derived/derived-file-store.ts';
import type { DerivedFile } from '../data/derived/file-in-the-making.ts';
import { columnarCopyName } from '../data/ingest/ingest.ts';
import { defaultCsvOptions } from '../data/query/parameters.ts';
import { layoutVersion } from '../data/table/columnar-copy.ts';
import { temporaryName } from '../disk/durable.ts';
import { streamsOfFile } from './bytes.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import { formatAndReadingFromRecord } from './payload-files.ts';
import { openDerivedFileFolder } from './table-folder.ts';

/** Incremented when a writer writes other bytes: older files are made again, and answers have other ETags. */
export const writerVersion = 6;
/** Milliseconds that a client waits for a file to be made: less than DuckDB (30 s) and proxies (60 s) wait by themselves. */
const patience = 25_000;

const stores = new WeakMap<CatalogueFiles, DerivedFileStore>();

function storeOf(files: CatalogueFiles): DerivedFileStore {
  let store = stores.get(files);
  if (!store) {
    store = new DerivedFileStore({
      folder: () => openDerivedFileFolder(files),
      maxBytes: () => (files.options.keepFormats === false ? 0 : files.snapshot.settings.file_cache * 1e6),
      temporaryName,
    });
    stores.set(files, store);
    const opened = store;
    files.onClose(() => opened.close());
  }
  return store;
}

/** A document with all rows of a version. */
export interface WholeDocument extends Omit<DerivedFile, 'key'> {
  readonly contentType: string;
  /** All that the bytes depend on besides the payload, the options for reading it, and the dataset's name. */
  readonly options: unknown;
}

/** A hash of what the bytes of a document depend on, and of nothing that the viewer may not see. */
function hashOfDocument(version: Version, options: unknown): string {
  const { checksum, dataset, datetime } = version;
  const facts = [writerVersion, layoutVersion, process.versions.zlib, dataset, datetime, options];
  const { reading, ...hints } = formatAndReadingFromRecord(version);
  const name = columnarCopyName(checksum, reading, hints);
  return createHash('sha256')
    .update(JSON.stringify([name, ...facts]))
    .digest('hex')
    .slice(0, 32);
}

/** Sizes in bytes of a version's files that are made already, by format. */
export async function sizesOfFiles(
  files: CatalogueFiles,
  version: Version,
): Promise<ReadonlyMap<OutputFormatName, number>> {
  const sizes = new Map<OutputFormatName, number>();
  for (const format of offeredFormats(version.columns ?? [], version.rows)) {
    const key = `${version.checksum}-${hashOfDocument(version, [format, defaultCsvOptions])}`;
    const size = await storeOf(files).sizeOf({ key, extension: outputFormats[format].extension });
    if (size !== null) sizes.set(format, size);
  }
  return sizes;
}

/** The file of a document. */
export function rowsFile(files: CatalogueFiles, version: Version, document: WholeDocument): RowsFile {
  const { options, contentType } = document;
  const hash = hashOfDocument(version, options);
  const derived: DerivedFile = { ...document, key: `${version.checksum}-${hash}` };
  const store = storeOf(files);
  const opened = async () => {
    const stored = await store.open(derived);
    if (!stored) return null;
    const { file, size } = stored;
    const { mtime } = await file.stat();
    return { mediaType: contentType, size, modified: mtime, ...streamsOfFile(file, size) };
  };
  return {
    tag: hash,
    async open(isMade) {
      const found = await opened();
      if (found || !isMade) return found;
      const late = new AbortController();
      try {
        const isStored = await Promise.race([
          store.make(derived),
          pause(patience, 'late' as const, { signal: late.signal }),
        ]);
        if (isStored === 'late') throw new UnavailableError('The file is being made. Try again in a moment.');
        return isStored ? opened() : null;
      } finally {
        late.abort();
      }
    },
    stream: () => streamOfChunks((signal) => store.chunks(derived, signal)),
  };
}
