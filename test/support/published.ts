/** Folders with data in them, for tests: datasets whose versions are taken in as everybody's are. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Catalogue, Published } from '../../src/catalogue/catalogue.ts';
import type { ReadingOptions } from '../../src/catalogue/types.ts';
import { type FileCatalogue, openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { temporaryParent } from './folder.ts';

export interface Workshop {
  readonly root: string;
  readonly files: FileCatalogue;
  readonly catalogue: Catalogue;
  /** Lines of the log. */
  readonly log: readonly string[];
  /** Makes the dataset `lab/<slug>` where it isn't there, and takes the text in as its newest version. */
  publish(slug: string, fileName: string, text: string | Buffer, reading?: ReadingOptions): Promise<Published>;
  remove(): Promise<void>;
}

/** An empty catalogue with the namespace `lab`, in a temporary folder. */
export async function makeWorkshop(): Promise<Workshop> {
  const root = mkdtempSync(join(temporaryParent(), 'catalogue-'));
  mkdirSync(join(root, 'namespaces'));
  const log: string[] = [];
  const files = await openFileCatalogue(root, { log: (line) => log.push(line) });
  const catalogue = files.for();
  await catalogue.create('namespace', { label: 'Lab', slug: 'lab' });
  return {
    root,
    files,
    catalogue,
    log,
    async publish(slug, fileName, text, reading) {
      const ref = { kind: 'dataset', namespace: 'lab', slug } as const;
      await catalogue.get(ref).catch(() => catalogue.create('dataset', { label: slug, slug, namespace: 'lab' }));
      return catalogue.publish(ref, { source: Readable.from([Buffer.from(text)]), fileName, reading });
    },
    async remove() {
      await files.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
