/** The parts of an Excel workbook (ISO/IEC 29500, SpreadsheetML) besides its cells: sheets, shared texts, and formats of dates. */
import { PayloadError } from '../../errors.ts';
import { type Utf8Texts, Utf8TextsBuilder } from '../utf8-texts.ts';
import { XmlStream } from '../xml/xml-stream.ts';
import type { ZipArchive } from '../zip-archive.ts';

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Path in the archive. */
  readonly path: string;
}

/** How numbers with a format are to be read: as dates, times, both, or elapsed hours; null as numbers. */
export type DateKind = 'date' | 'datetime' | 'time' | 'duration' | null;

export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** True if days count from 1904, as in workbooks of old Macs. */
  readonly from1904: boolean;
  readonly texts: Utf8Texts;
  /** By index of the format of a cell. */
  readonly dateKinds: readonly DateKind[];
}

/** Most bytes of the shared texts, which are kept in memory. */
const maxSharedTexts = 512 * 1024 * 1024;

/** Reads the elements of a part. @returns false if the archive doesn't have it */
async function readElements(
  archive: ZipArchive,
  path: string,
  onOpen: (name: string, attributes: Readonly<Record<string, string>>) => void,
  onClose: (name: string, text: string) => void = () => {},
): Promise<boolean> {
  if (!archive.has(path)) return false;
  const xml = new XmlStream({ open: onOpen, close: onClose });
  for await (const chunk of archive.read(path)) xml.push(chunk);
  xml.end();
  return true;
}

/** Sheets in their order, without charts. @throws PayloadError if it is no workbook */
export async function readSheets(archive: ZipArchive): Promise<{ sheets: readonly Sheet[]; from1904: boolean }> {
  const targets = new Map<string, string>();
  await readElements(archive, 'xl/_rels/workbook.xml.rels', (name, { Id, Type, Target }) => {
    if (name === 'Relationship' && Id && Target && Type?.endsWith('/worksheet'))
      targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target.replace(/^\.\//, '')}`);
  });
  const sheets: Sheet[] = [];
  let from1904 = false;
  const isWorkbook = await readElements(archive, 'xl/workbook.xml', (element, { name, id, state, date1904 }) => {
    if (element === 'workbookPr') from1904 = date1904 === '1' || date1904 === 'true';
    const path = targets.get(id ?? '');
    if (element === 'sheet' && name && path)
      sheets.push({ name, path, isHidden: Boolean(state) && state !== 'visible' });
  });
  if (!isWorkbook) throw new PayloadError('it is a ZIP archive, but no Excel workbook: xl/workbook.xml is missing');
  return { sheets, from1904 };
}

/** Reads a workbook without its cells. @throws PayloadError */
export async function readWorkbook(archive: ZipArchive): Promise<Workbook> {
  return {
    ...(await readSheets(archive)),
    texts: await readSharedTexts(archive),
    dateKinds: await readDateKinds(archive),
  };
}

/** Texts that cells refer to by number. Runs of rich text are joined; phonetic hints are left out. */
async function readSharedTexts(archive: ZipArchive): Promise<Utf8Texts> {
  const texts = new Utf8TextsBuilder(1024);
  let count = 0;
  let bytes = 0;
  let text = '';
  let phonetic = 0;
  await readElements(
    archive,
    'xl/sharedStrings.xml',
    (name) => {
      if (name === 'rPh') phonetic++;
    },
    (name, part) => {
      if (name === 'rPh') phonetic--;
      else if (name === 't' && phonetic === 0) text += part;
      else if (name === 'si') {
        bytes += text.length;
        if (bytes > maxSharedTexts) throw new PayloadError('its texts take more than 512 MB: save it as CSV');
        texts.addString(count++, decodeEscapes(text.toWellFormed()));
        text = '';
      }
    },
  );
  return texts.take(count);
}

/** A text without the escapes `_x000D_` for characters that XML doesn't have; with U+FFFD for U+0000, which CSV doesn't have either. */
export const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16) || 0xfffd))
        .toWellFormed()
    : text;

/** Formats of dates and times that have no text in the file (18.8.30). */
const builtInKinds: Readonly<Record<number, DateKind>> = {
  ...Object.fromEntries([14, 15, 16, 17].map((id) => [id, 'date'])),
  ...Object.fromEntries([18, 19, 20, 21, 45, 47].map((id) => [id, 'time'])),
  22: 'datetime',
  46: 'duration',
  // East Asian calendars.
  ...Object.fromEntries([27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'date'])),
  ...Object.fromEntries([32, 33, 34, 35, 55, 56].map((id) => [id, 'time'])),
};

async function readDateKinds(archive: ZipArchive): Promise<readonly DateKind[]> {
  const kinds = new Map<number, DateKind>();
  const cellKinds: DateKind[] = [];
  let isCellFormats = false;
  await readElements(
    archive,
    'xl/styles.xml',
    (name, { numFmtId, formatCode }) => {
      if (name === 'numFmt') kinds.set(Number(numFmtId), dateKindOfFormat(formatCode ?? ''));
      else if (name === 'cellXfs') isCellFormats = true;
      else if (name === 'xf' && isCellFormats) {
        const id = Number(numFmtId);
        cellKinds.push(kinds.has(id) ? (kinds.get(id) as DateKind) : (builtInKinds[id] ?? null));
      }
    },
    (name) => {
      if (name === 'cellXfs') isCellFormats = false;
    },
  );
  return cellKinds;
}

/** Kind of the dates that a format shows, such as `dd.mm.yyyy hh:mm`. */
export function dateKindOfFormat(format: string): DateKind {
  const first = format.split(';')[0] ?? '';
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return 'duration';
  const letters = first.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|AM\/PM|A\/P/gi, (part) =>
    /[ap]\//i.test(part) ? 'h' : '',
  );
  if (/general/i.test(letters)) return null;
  const hasTime = /[hs]/i.test(letters);
  const hasDay = /[dy]/i.test(letters) || (/m/i.test(letters) && !hasTime);
  if (hasDay) return hasTime ? 'datetime' : 'date';
  return hasTime ? 'time' : null;
}
