/** Datasets of real catalogues as records of ours: texts as their publishers wrote them. */
import { readFileSync } from 'node:fs';
import type { FolderContent } from '../support/folder.ts';

interface RealFile {
  readonly name?: string;
  readonly url?: string;
  readonly format?: string;
  readonly mediaType?: string;
  readonly size?: number | string;
  readonly hash?: string;
}

interface RealDataset {
  readonly from: string;
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly licence?: string;
  readonly homepage?: string;
  readonly publisher?: string;
  readonly contact?: string;
  readonly keywords?: readonly unknown[];
  readonly issued?: string;
  readonly modified?: string;
  readonly bbox?: readonly number[];
  readonly temporal?: unknown;
  readonly files?: readonly RealFile[];
}

/** The folder of a catalogue: a namespace for each real one, a version for each dataset with a file. */
export function realCatalogues(): FolderContent {
  const text = readFileSync(new URL('../fixtures/real-catalogues/records.ndjson', import.meta.url), 'utf8');
  const all = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RealDataset);
  const names = all.map(({ from }, i) => `${from}/n${i}`);
  return {
    settings: { title: 'Real catalogues', description: 'Datasets as publishers describe them.', publisher: 'Test' },
    namespaces: Object.fromEntries([...new Set(all.map(({ from }) => from))].map((from) => [from, { label: from }])),
    datasets: Object.fromEntries(all.map((one, i) => [names[i], datasetRecord(one)])),
    versions: Object.fromEntries(
      all.flatMap((one, i) => versionRecord(one).map((record) => [`${names[i]}@1`, record])),
    ),
  };
}

const datasetRecord = (one: RealDataset) => ({
  label: (one.title ?? one.id).slice(0, 200),
  ...(one.description && { description: one.description }),
  ...(one.licence && { licence: one.licence }),
  ...(one.homepage && { homepage: one.homepage }),
  ...(one.publisher && { publisher: one.publisher }),
  ...(one.contact && { contact: one.contact }),
  ...(one.keywords && { keywords: one.keywords.map(String) }),
});

const base = 'https://example.org/catalogue/';

function versionRecord({ files = [], modified, issued, bbox }: RealDataset) {
  const [file] = files;
  // Relative addresses are those of files beside the document.
  const url = file?.url && URL.canParse(file.url, base) ? new URL(file.url, base) : undefined;
  if (!file || !url?.protocol.startsWith('http')) return [];
  const datetime = [modified, issued].find((time) => time && !Number.isNaN(Date.parse(time))) ?? '2024-01-31';
  return [
    {
      ...(file.name && { label: file.name.slice(0, 200) }),
      datetime: new Date(datetime).toISOString(),
      ...(file.hash && /^[0-9a-f]{64}$/.test(file.hash) && { checksum: file.hash }),
      file: {
        url: file.url?.startsWith('http') ? file.url : url.href,
        ...(file.format && { format: file.format }),
        ...(file.mediaType && { media_type: file.mediaType }),
        ...(file.size && { size: Number(file.size) }),
      },
      ...(bbox && { bbox }),
    },
  ];
}
