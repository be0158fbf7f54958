/** The attributes of a shapefile: a table in dBASE (.dbf), versions III to V without memos. */
import { isUtf8 } from 'node:buffer';
import { PayloadError } from '../../errors.ts';
import { ByteSource } from '../byte-source.ts';
import { decodeWindows1252, textDecoderFor } from '../code-pages.ts';

interface Field {
  readonly name: string;
  readonly type: string;
  readonly start: number;
  readonly length: number;
}

/** Encodings by the numbers that a .dbf file has for them (language driver); those that are missing here are guessed. */
const languageDrivers: ReadonlyMap<number, string> = new Map(
  Object.entries({
    cp437: [1, 9, 11, 13, 15, 17, 21, 24, 25, 27],
    cp850: [2, 10, 14, 16, 18, 20, 22, 26, 29, 37, 55],
    cp852: [31, 34, 35, 64, 100, 135],
    ibm866: [38, 101],
    shift_jis: [19, 123],
    gbk: [77, 122],
    'euc-kr': [78, 121],
    big5: [79, 120],
    'windows-874': [80, 124],
    'windows-1250': [200],
    'windows-1251': [201],
    'windows-1252': [3, 87, 88, 89],
    'windows-1253': [203],
    'windows-1254': [202],
    'windows-1257': [204],
  }).flatMap(([label, drivers]) => drivers.map((driver) => [driver, label] as const)),
);

/** The label of the encoding that a .cpg file names, as `textDecoderFor` takes it; undefined if it isn't known. */
export function encodingOfCodePage(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  const dos = /^(?:oem ?|ibm|cp)?(437|850|852)$/.exec(name)?.[1];
  if (dos) return `cp${dos}`;
  const windows = /^(?:ansi |cp|windows-)?(125\d|874)$/.exec(name)?.[1];
  const latin = /^(?:iso)?[ -]?8859[-_ ]?(\d{1,2})$/.exec(name)?.[1] ?? /^88(?:59)?(\d{1,2})$/.exec(name)?.[1];
  const label = windows ? `windows-${windows}` : latin ? `iso-8859-${latin}` : name === '65001' ? 'utf-8' : name;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The rows of a .dbf file in their order. */
export class AttributeReader {
  readonly #source: ByteSource;
  #fields: readonly Field[] = [];
  #rowLength = 0;
  #rows = 0;
  #read = 0;
  #decode = (bytes: Buffer): string => {
    if (isUtf8(bytes)) return bytes.toString();
    this.hasGuessedTexts = true;
    return decodeWindows1252(bytes);
  };
  /** True if fields of another file (memos) are left out. */
  hasMemos = false;
  /** True if texts were read as Windows-1252, since they aren't UTF-8 and no encoding is known. */
  hasGuessedTexts = false;
  /** Number that the head has for the encoding (language driver); 0 for none. */
  languageDriver = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#source = new ByteSource(chunks);
  }

  /** Reads the head. @param encoding label; by default that of the head @throws PayloadError */
  async begin(encoding: string | undefined): Promise<void> {
    const head = Buffer.from(await this.#source.takeWhole(32, 'the .dbf file'));
    const headLength = head.readUInt16LE(8);
    this.#rows = head.readUInt32LE(4);
    this.#rowLength = head.readUInt16LE(10);
    this.languageDriver = head[29] as number;
    const label = encoding ?? languageDrivers.get(this.languageDriver);
    if (label !== undefined) this.#decode = textDecoderFor(label);
    if (headLength < 33 || this.#rowLength < 1) throw new PayloadError('the .dbf file is no table in dBASE');
    // Some have the number of version 7 for version IV; its head has another length.
    if (((head[0] as number) & 7) === 4 && headLength % 32 !== 1)
      throw new PayloadError('the .dbf file is of dBASE 7, which is not read. Save it as dBASE IV.');
    const rest = Buffer.from(await this.#source.takeWhole(headLength - 32, 'the .dbf file'));
    this.#fields = this.#readFields(rest);
  }

  #readFields(head: Buffer): readonly Field[] {
    const fields: Field[] = [];
    const used = new Set<string>();
    let start = 1;
    for (let at = 0; at + 32 <= head.length && head[at] !== 0x0d; at += 32) {
      const given = this.#decode(head.subarray(at, at + 11))
        .replace(/\0.*$/s, '')
        .trim();
      let name = given;
      for (let n = 2; used.has(name); n++) name = `${given}_${n}`;
      used.add(name);
      const type = String.fromCharCode(head[at + 11] as number);
      // Long texts use the byte of the decimals, too.
      const length = type === 'C' ? head.readUInt16LE(at + 16) : (head[at + 16] as number);
      fields.push({ name, type, start, length });
      start += length;
    }
    if (start > this.#rowLength) throw new PayloadError('the fields of the .dbf file are longer than its rows');
    this.hasMemos = fields.some(({ type }) => 'MGP'.includes(type));
    return fields;
  }

  /** The next row; null if it was deleted, undefined behind the last one. @throws PayloadError if the file breaks off */
  async next(): Promise<Readonly<Record<string, unknown>> | null | undefined> {
    if (this.#read >= this.#rows) return undefined;
    const source = this.#source;
    if (source.available < this.#rowLength && !(await source.wait(this.#rowLength)))
      throw new PayloadError(`the .dbf file breaks off behind ${this.#read} of ${this.#rows} rows`);
    const bytes = source.take(this.#rowLength);
    this.#read++;
    if (bytes[0] === 0x2a) return null;
    const row: Record<string, unknown> = Object.create(null);
    for (const { name, type, start, length } of this.#fields)
      row[name] = this.#value(type, bytes.subarray(start, start + length));
    return row;
  }

  #value(type: string, bytes: Buffer): unknown {
    switch (type) {
      case 'N':
      case 'F':
        return numberOfText(bytes.toString('latin1').replace(/\0.*$/s, '').trim());
      case 'D': {
        const text = bytes.toString('latin1');
        return /^\d{8}$/.test(text) && text !== '00000000'
          ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
          : null;
      }
      case 'L': {
        const letter = bytes.toString('latin1').trim().toUpperCase();
        return letter === 'T' || letter === 'Y' ? true : letter === 'F' || letter === 'N' ? false : null;
      }
      case 'I':
      case '+':
        return bytes.length === 4 ? bytes.readInt32LE(0) : null;
      case 'O':
      case 'B':
        return bytes.length === 8 ? bytes.readDoubleLE(0) : null;
      case 'M':
      case 'G':
      case 'P':
        return null;
      default: {
        const text = this.#decode(bytes).replace(/[\0 ]+$/, '');
        return text === '' ? null : text;
      }
    }
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

/** A number; null for nothing and for asterisks, which stand for a number that was too long; a text if its digits would be lost. */
function numberOfText(text: string): number | string | null {
  if (text === '' || text.startsWith('*')) return null;
  const number = Number(text);
  if (Number.isNaN(number)) return text;
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
}
