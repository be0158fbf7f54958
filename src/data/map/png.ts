/** PNG (ISO/IEC 15948) of pixels without transparency. */
import { crc32, deflateSync } from 'node:zlib';

/** @param pixels red, green and blue of each pixel, row by row from the top */
export function encodePng(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a sample, truecolour; deflate, no filter but those named by rows, not interlaced.
  header.set([8, 2, 0, 0, 0], 8);
  const rowLength = 3 * width;
  // Each row begins with its filter: 0 for none.
  const rows = Buffer.alloc(height * (rowLength + 1));
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * rowLength, (y + 1) * rowLength), y * (rowLength + 1) + 1);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Length, type, data, and the CRC of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
