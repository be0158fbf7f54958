/** ZIP archives made for a test, also broken ones. */
import { crc32, deflateRawSync } from 'node:zlib';

/**
 * A ZIP archive (APPNOTE 6.3) of these files.
 * @param claims sizes that the archive claims in place of the true ones
 */
export function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  claims: Readonly<Record<string, number>> = {},
): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims[name] ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    parts.push(Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.from('PK\u0001\u0002\u0014\0'), fields, rest, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\u0005\u0006'), end]);
}

const head = '<?xml version="1.0" encoding="UTF-8"?>';

/** An Excel workbook. @param sheets the XML of each sheet's rows, by name; @param options its shared texts, formats and calendar */
export function workbookOf(
  sheets: Readonly<Record<string, string>>,
  {
    texts = [],
    formats = [],
    from1904 = false,
    hidden = [],
    after = '',
  }: {
    readonly texts?: readonly string[];
    readonly formats?: readonly string[];
    readonly from1904?: boolean;
    readonly hidden?: readonly string[];
    readonly after?: string;
  } = {},
): Buffer {
  const names = Object.keys(sheets);
  const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';
  return zipOf({
    '[Content_Types].xml': `${head}<Types/>`,
    'xl/workbook.xml': `${head}<workbook xmlns:r="r"><workbookPr date1904="${from1904 ? 1 : 0}"/><sheets>${names
      .map(
        (name, i) =>
          `<sheet name="${name}" sheetId="${i}" ${hidden.includes(name) ? 'state="hidden" ' : ''}r:id="r${i}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships>${names
      .map((_, i) => `<Relationship Id="r${i}" Type="${relation}" Target="worksheets/sheet${i}.xml"/>`)
      .join('')}</Relationships>`,
    'xl/sharedStrings.xml': `${head}<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `${head}<styleSheet><numFmts>${formats
      .map((format, i) => `<numFmt numFmtId="${200 + i}" formatCode="${format}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, i) => `<xf numFmtId="${200 + i}"/>`)
      .join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      names.map((name, i) => [
        `xl/worksheets/sheet${i}.xml`,
        `${head}<worksheet><sheetData>${sheets[name]}</sheetData>${after}</worksheet>`,
      ]),
    ),
  });
}
