/** Makes catalogue folders: files for git and editors, and the settings of a new catalogue; and tells whether one is there. */
import { constants, existsSync } from 'node:fs';
import { access, appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusableCatalogueError } from '../catalogue/errors.ts';
import { landmarks, privateFolder, recordPaths } from '../catalogue/layout.ts';
import { type RecordKind, schemas } from '../catalogue/schemas.ts';
import { writeDurably } from '../disk/durable.ts';
import { inheritOwner, inheritOwnerOfTree } from '../disk/owner.ts';
import { makeFolderInPrivateFolder } from '../disk/private-folder.ts';
import { defaultStyle, yamlPairLines } from '../text/yaml-writer.ts';

const gitignore = `# Accounts, caches and temporary files: for this computer only.
.catalogue/
.*.catalogue-tmp*
`;

const gitattributes = `# Records have LF line ends on every computer, also where git would write CRLF (core.autocrlf on Windows).
*.yaml text eol=lf
*.yml text eol=lf
*.json text eol=lf

# Payloads are served byte for byte under their checksum: git must not touch their line ends, nor merge their lines.
namespaces/*/datasets/*/data/** -text -merge
# So are images, such as SVG.
site_media/** -text

# Large payloads, from some 10 MB on, weigh on every clone for ever. Keep them in an object store ("payloads" in
# catalogue.yaml): git then has pointers of three lines, and this file stays as it is. Or in Git LFS (https://git-lfs.com): take
# the "#" off the lines that fit and run "git lfs install" once. Or leave them where they are, and give their address in
# the version's file instead: "file: { url: https://… }".
# namespaces/*/datasets/*/data/*.parquet filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.geojson filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.csv filter=lfs diff=lfs merge=lfs -text
# namespaces/*/datasets/*/data/*.gz filter=lfs diff=lfs merge=lfs -text
`;

/** Makes the folder, with .gitignore, .gitattributes and the schemas for editors. Existing files are added to. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'namespaces'), { recursive: true });
  inheritOwner(join(folder, 'namespaces'));
  await addText(join(folder, '.gitignore'), gitignore);
  await addText(join(folder, '.gitattributes'), gitattributes);
  await writeEditorSchemas(folder);
}

/** Makes a new catalogue. The settings are written last: with them, the folder is a catalogue. */
export async function createCatalogue(folder: string, title: string): Promise<void> {
  await prepareFolder(folder);
  const [path = ''] = recordPaths({ kind: 'settings' });
  const lines = [editorSchemaComment('settings', path, ''), ...yamlPairLines('title', title, 0, defaultStyle)];
  await writeDurably(join(folder, path), `${lines.join('\n')}\n`, { exclusive: true });
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
  inheritOwner(path);
}

const schemaFolder = 'schemas';

/** Name of the file with a kind's JSON Schema. */
const schemaFile = (kind: RecordKind) => schemas[kind].$id;

/**
 * Writes the JSON Schemas to `.catalogue/schemas/`, if they are missing or of another version. Editors complete keys by
 * them, offline too. They can be deleted: the next command writes them.
 */
export async function writeEditorSchemas(root: string): Promise<void> {
  const folder = await makeFolderInPrivateFolder(root, schemaFolder);
  for (const kind of Object.keys(schemas) as RecordKind[]) {
    const path = join(folder, schemaFile(kind));
    const text = `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[kind] }, null, 2)}\n`;
    if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
    await writeFile(path, text);
    inheritOwner(path);
  }
}

/**
 * Writes the JSON Schemas if there are none, as in a new clone of git. A folder that can't be written stays without, and so
 * does one that is not a catalogue, such as an empty mount point.
 */
export async function ensureEditorSchemas(root: string): Promise<void> {
  const exists = (path: string) => existsSync(join(root, path));
  if (!exists(`${privateFolder}/${schemaFolder}`) && landmarks.some(exists))
    await writeEditorSchemas(root).catch(() => {});
}

/** Gives the caches that root has made in a catalogue folder of another user to that user, whose server adds to them. */
export const giveCachesToOwner = (root: string): Promise<void> =>
  inheritOwnerOfTree(join(root, privateFolder, 'cache'));

/**
 * First line of a new record: a comment that tells editors where its schema is.
 * @param path of the record, relative to the catalogue folder
 * @param baseUrl URL of the server that publishes the schemas; '' for the files in the folder
 */
export function editorSchemaComment(kind: RecordKind, path: string, baseUrl: string): string {
  const up = '../'.repeat(path.split('/').length - 1);
  const folder = baseUrl ? `${baseUrl}/schemas/` : `${up}${privateFolder}/${schemaFolder}/`;
  return `# yaml-language-server: $schema=${folder}${schemaFile(kind)}`;
}

/**
 * Checks that a folder is a catalogue.
 * @param asked the folder as the user wrote it
 * @throws UnusableCatalogueError that says what is wrong with it and what to do
 */
export async function assertCatalogueFolder(path: string, asked: string): Promise<void> {
  const unusable = (message: string) => new UnusableCatalogueError(message);
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unusable(
      error.code === 'ENOENT'
        ? `There is no folder ${asked}. Make one with "catalogue init ${asked}", or name another with --data.`
        : `The folder ${asked} can't be read (${error.code}): check its permissions.`,
    );
  });
  if (!stats.isDirectory()) throw unusable(`${asked} is a file. Name a catalogue folder with --data.`);
  await access(path, constants.R_OK | constants.X_OK).catch(() => {
    throw unusable(`The folder ${asked} can't be read. Give this user permission, or name another with --data.`);
  });
  const found = await Promise.all(landmarks.map((name) => stat(`${path}/${name}`).then(Boolean, () => false)));
  if (!found.some(Boolean))
    throw unusable(
      `The folder ${asked} is not a catalogue: it has neither catalogue.yaml nor namespaces/. ` +
        `Make it one with "catalogue init ${asked}", or name another with --data.`,
    );
}
