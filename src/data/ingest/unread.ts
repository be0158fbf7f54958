/** Advice about payloads that are kept without rows, though they seem to have some. */
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';
import { withoutQuoted } from '../formats/csv/lines.ts';
import { fileExtension, isZipArchive } from '../formats/detect-format.ts';
import { listArchiveTables } from './archive-tables.ts';

/** Extensions of texts of any kind. */
const vagueExtensions = ['', 'txt', 'dat', 'asc'];

/**
 * @param head the first bytes of the payload
 * @param path of its file
 * @returns what to do so that the rows are read; null if it seems to have none
 */
export async function adviceAboutUnread(head: Buffer, path: string, fileName = ''): Promise<string | null> {
  if (isZipArchive(head)) return adviceAboutArchive(path);
  if (!vagueExtensions.includes(fileExtension(fileName, false)) || !looksLikeTable(head)) return null;
  const stem = fileName.replace(/\.[^.]*$/, '');
  return `The file looks like a table. To read its rows, name it so: --name ${/^[\w.-]+$/.test(stem) ? stem : 'table'}.csv`;
}

async function adviceAboutArchive(path: string): Promise<string | null> {
  try {
    const tables = (await listArchiveTables(path)) ?? [];
    if (tables.length === 0) return null;
    const shown = tables.slice(0, 3).map((name) => excerpt(name));
    const more = tables.length > shown.length ? ` and ${tables.length - shown.length} more` : '';
    return `The ZIP archive is kept as it is. To read rows, unpack it, and publish a file of it: ${shown.join(', ')}${more}`;
  } catch (error) {
    if (error instanceof PayloadError) return null;
    throw error;
  }
}

/** True if the first lines have the same number of cells, two at least. */
function looksLikeTable(head: Buffer): boolean {
  const lines = withoutQuoted(head.toString('latin1'))
    .split(/\r\n|\n|\r/)
    .slice(0, 10)
    .filter(Boolean);
  if (lines.length < 2 || head.includes(0)) return false;
  return ['\t', ';', ',', '|'].some((delimiter) => {
    const [first = 1, ...others] = lines.map((line) => line.split(delimiter).length);
    return first > 1 && others.every((cells) => cells === first);
  });
}
