/** A new catalogue folder: the files for git and editors, and the settings. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordPaths } from '../catalogue/layout.ts';
import { defaultStyle, pairLines } from '../text/yaml-writer.ts';
import { schemaComment, writeEditorSchemas } from './editor-schemas.ts';

const gitignore = `# Accounts, caches and temporary files: for this computer only.
.catalogue/
`;

const gitattributes = `# Payloads are served byte for byte under their checksum: git must not touch their line ends, nor merge their lines.
namespaces/*/datasets/*/data/** -text -merge

# Large payloads, from some 10 MB on, weigh on every clone for ever. Keep them in Git LFS (https://git-lfs.com): take
# the "#" off the lines that fit and run "git lfs install" once. Or leave them where they are, and give their address in
# the version's file instead: "file: { url: https://… }".
# namespaces/*/datasets/*/data/*.parquet filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.geojson filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.csv filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.gz filter=lfs diff=lfs merge=lfs -text
`;

/** Makes the folder, with .gitignore, .gitattributes and the schemas for editors. Files that exist are added to. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'namespaces'), { recursive: true });
  await addText(join(folder, '.gitignore'), gitignore);
  await addText(join(folder, '.gitattributes'), gitattributes);
  await writeEditorSchemas(folder);
}

/** Makes a new catalogue. The settings are written last: with them, the folder is a catalogue. */
export async function createCatalogue(folder: string, title: string): Promise<void> {
  await prepareFolder(folder);
  const [path = ''] = recordPaths({ kind: 'settings' });
  const lines = [schemaComment('settings', path, ''), ...pairLines('title', title, 0, defaultStyle)];
  await writeFile(join(folder, path), `${lines.join('\n')}\n`, { flag: 'wx' });
}

/** Writes a file, or adds to the existing one. */
async function addText(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (before.includes(text)) return;
  const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  await appendFile(path, gap + text);
}
