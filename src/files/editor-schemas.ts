/**
 * The JSON Schemas as files, for editors: `.catalogue/schemas/` lies in the folder itself, so that completion works
 * offline and with the very schemas of this version. It is derived; it can be deleted.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder } from '../catalogue/layout.ts';
import { type RecordKind, schemas } from '../catalogue/schemas.ts';

/** Name of the file that holds a kind's schema. */
export const schemaFile = (kind: RecordKind) => schemas[kind].$id;

/** Writes the schemas that are missing or of another version. */
export async function writeEditorSchemas(root: string): Promise<void> {
  const folder = join(root, privateFolder, 'schemas');
  await mkdir(folder, { recursive: true });
  for (const kind of Object.keys(schemas) as RecordKind[]) {
    const path = join(folder, schemaFile(kind));
    const text = `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[kind] }, null, 2)}\n`;
    if ((await readFile(path, 'utf8').catch(() => '')) !== text) await writeFile(path, text);
  }
}

/**
 * The first line of a new record: where an editor finds its schema.
 * @param path of the record, relative to the catalogue folder
 * @param baseUrl address of the server that publishes the schemas; '' for the copy in the folder
 */
export function schemaComment(kind: RecordKind, path: string, baseUrl: string): string {
  const up = '../'.repeat(path.split('/').length - 1);
  const where = baseUrl ? `${baseUrl}/schemas/` : `${up}${privateFolder}/schemas/`;
  return `# yaml-language-server: $schema=${where}${schemaFile(kind)}`;
}
