/** Datasets in every state that a page tells of, in the namespace `states`, which the group `keepers` owns. */
import { createHash } from 'node:crypto';
import { type CatalogueFolder, homeOf } from './folder.ts';

/** JSON is YAML. */
const yaml = (value: unknown): string => JSON.stringify(value);
const time = '2024-01-31T12:00:00Z';

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A zip of files without content: their local headers aren't read. */
function zipOf(...names: readonly string[]): Buffer {
  const members = names.map((name) => {
    const bytes = Buffer.alloc(46 + Buffer.byteLength(name));
    bytes.writeUInt32LE(0x02014b50, 0);
    bytes.writeUInt16LE(0x0800, 8);
    bytes.writeUInt32LE(2048, 24);
    bytes.writeUInt16LE(Buffer.byteLength(name), 28);
    bytes.write(name, 46);
    return bytes;
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(30, 16);
  return Buffer.concat([Buffer.alloc(30), ...members, end]);
}

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;

/** What a page of each state says, by the path of its dataset. */
export const stateTexts: Readonly<Record<string, RegExp>> = {
  'states/datasets/nothing/': /has no version yet.*catalogue publish data\.csv --to states\/nothing/s,
  'states/datasets/linked/': /This catalogue has no file of this dataset(?!.*catalogue publish).*>Report</s,
  'states/datasets/withdrawn/': /No version of this dataset is ready.*withdrawn/s,
  'states/datasets/withdrawn/version/v1/': /This version is not ready.*withdrawn/s,
  'states/datasets/pointer/': /Git LFS pointer.*git lfs pull/s,
  'states/datasets/empty/': /This version has no rows\./,
  'states/datasets/plain/': /oak/,
  'states/datasets/report/': /files have no rows that can be shown.*The first 40 lines.*line 1 &lt;b(>|&gt;)/s,
  'states/datasets/archive/': /2 files in it.*roads\/läuft\.shp.*2\s?kB/s,
  'states/datasets/picture/': /<img class="file-picture" src="[^"]*\/picture\/download\/[^"]*\.png"/,
};

/** What those who own the namespace see besides. */
export const ownerTexts: Readonly<Record<string, RegExp>> = {
  'states/datasets/private/': /Those are Keepers, and the staff.*private.*each request needs a token/s,
  'states/datasets/private/data/': /each request needs a token, as the header Authorization: Token/,
  'states/datasets/broken/': /dataset\.yaml:2:1.*label.*2 │ label: Twice\s+│ \^/s,
};

export function writeStates(folder: CatalogueFolder): void {
  folder.write('namespaces/states/namespace.yaml', yaml({ label: 'States', owners: ['keepers'] }));
  folder.write('groups/keepers.yaml', yaml({ label: 'Keepers' }));
  folder.write('users/kim.yaml', yaml({ groups: ['keepers'] }));
  const dataset = (slug: string, more: object = {}) =>
    folder.write(`${homeOf(`states/${slug}`)}/dataset.yaml`, yaml({ label: `The ${slug} one`, ...more }));
  const version = (slug: string, name: string, bytes: string | Buffer, more: object = {}) => {
    dataset(slug);
    const home = homeOf(`states/${slug}`);
    const file = { name, format: name.split('.').at(-1), size: Buffer.byteLength(bytes) };
    const checksum = createHash('sha256').update(bytes).digest('hex');
    folder.write(`${home}/data/${name}`, bytes);
    folder.write(`${home}/versions/v1.yaml`, yaml({ datetime: time, checksum, file, ...more }));
  };
  dataset('nothing');
  dataset('linked', { links: { Report: 'https://example.org/report.pdf' } });
  version('withdrawn', 'a.csv', 'name\noak\n', { rows: 1, ready: false });
  version('pointer', 'a.csv', pointer, { file: { name: 'a.csv', format: 'csv', size: 12_345 }, rows: 3 });
  version('empty', 'a.csv', 'name\n', { rows: 0 });
  version('plain', 'a.csv', 'name\noak\n', { rows: 1 });
  version('report', 'a.txt', Array.from({ length: 60 }, (_, i) => `line ${i} <b>\n`).join(''));
  version('archive', 'a.zip', zipOf('readme.txt', 'roads/läuft.shp'));
  version('picture', 'a.png', pixel);
  version('private', 'a.csv', 'name\noak\n', { rows: 1 });
  dataset('private', { visibility: 'private' });
  folder.write('queries/private.yaml', yaml({ label: 'The private one', dataset: 'states/private' }));
  folder.write(`${homeOf('states/broken')}/dataset.yaml`, 'label: Broken\nlabel: Twice\n');
}
