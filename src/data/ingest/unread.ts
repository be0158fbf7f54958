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
  if (fileExtension(fileName, false) === 'json') return adviceAboutObject(head.toString(), fileName);
  if (!vagueExtensions.includes(fileExtension(fileName, false)) || !looksLikeTable(head)) return null;
  const stem = fileName.replace(/\.[^.]*$/, '');
  return `The file looks like a table. To read its rows, name it so: --name ${/^[\w.-]+$/.test(stem) ? stem : 'table'}.csv`;
}

/** Advice about an object of JSON with an array of objects in it, as APIs send rows. */
function adviceAboutObject(text: string, fileName: string): string | null {
  const path = pathOfObjects(text);
  if (path === null) return null;
  const filter = path
    .map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.[${JSON.stringify(name).replaceAll("'", "'\\''")}]`))
    .join('')
    .replaceAll('.[', '[')
    .replace(/^\[/, '.[');
  const file = /^[\w.-]+$/.test(fileName) ? fileName : 'FILE';
  return (
    `The file is an object, with objects in "${excerpt(path.join('.'))}". If they are the rows, publish a file of them: ` +
    `jq ${filter.includes('[') ? `'${filter}'` : filter} ${file} > rows.json`
  );
}

/** Most objects around the array. */
const mostDepth = 3;

/** Names of arrays that describe others, as in the answers of CKAN. */
const describing = /^(?:fields|columns|links|facets|errors|warnings)$/i;

/**
 * The names that lead to an array of objects in an object of JSON, through objects only; null if the text has no such array. Of several,
 * the one in the fewest objects, and of these the first that doesn't describe others by its name.
 */
function pathOfObjects(text: string): readonly string[] | null {
  const found: (readonly string[])[] = [];
  // Names of the objects around a token; null for one in an array.
  const around: (string | null)[] = [];
  let name: string | null = null;
  // Strings as a whole, since brackets in them say nothing; those before a colon and an array of objects, or an object, are names.
  const tokens = text.matchAll(/"([^"\\]*)"\s*:\s*(?=(\[\s*\{)|\{)|"(?:[^"\\]|\\.)*(?:"|$)|[[\]{}]/gs);
  for (const [token, member, isArray] of tokens) {
    if (member !== undefined) {
      name = member;
      const path = [...around.slice(1), member].filter((one) => one !== null);
      if (isArray !== undefined && path.length === around.length && path.length <= mostDepth) found.push(path);
      continue;
    }
    if (token === '{' || token === '[') around.push(token === '{' ? name : null);
    else if (token === '}' || token === ']') around.pop();
    name = null;
  }
  const least = Math.min(...found.map((path) => path.length));
  const likely = found.filter((path) => path.length === least);
  return likely.find((path) => !describing.test(path.at(-1) ?? '')) ?? likely[0] ?? null;
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

/** True if the first lines have the same number of cells, two at least, and don't seem to be sentences. */
function looksLikeTable(head: Buffer): boolean {
  const text = head.toString('latin1');
  const lines = withoutQuoted(text)
    .split(/\r\n|\n|\r/)
    .slice(0, 10)
    .filter(Boolean);
  if (lines.length < 2 || head.includes(0)) return false;
  return ['\t', ';', ',', '|'].some((delimiter) => {
    const [first = 1, ...others] = lines.map((line) => line.split(delimiter).length);
    return (
      first > 1 && others.every((cells) => cells === first) && (text.includes('"') || !looksLikeProse(lines, delimiter))
    );
  });
}

/** True if blanks or ends of lines are behind all delimiters, as in sentences, and not all lines below the first have a number. */
function looksLikeProse(lines: readonly string[], delimiter: string): boolean {
  const cells = lines.map((line) => line.split(delimiter));
  const isSpaced = cells.every((row) => row.slice(1).every((cell) => /^(?:\s|$)/.test(cell)));
  return isSpaced && !cells.slice(1).every((row) => row.some((cell) => /^\s*-?\d+(?:\.\d+)?\s*$/.test(cell)));
}
