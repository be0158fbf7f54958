import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxImageBytes, readImageInfo, validateImage } from '../../src/catalogue/image.ts';
import { images, png } from '../support/images.ts';

const bad = { errors: ['Upload a valid image. The file you uploaded was either not an image or a corrupted image.'] };

describe('what an image is', () => {
  it('is told by its bytes, with its size', () => {
    for (const [extension, bytes] of Object.entries(images)) {
      const side = extension === 'avif' ? 2 : 1;
      assert.deepEqual(readImageInfo(bytes), { extension, width: side, height: side });
      assert.deepEqual(validateImage(bytes), { value: bytes });
    }
    assert.deepEqual(readImageInfo(png(640, 480)), { extension: 'png', width: 640, height: 480 });
  });

  it('is no document, no program, and nothing that only begins as one', () => {
    const others = {
      svg: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
      html: '<html><script>alert(1)</script>',
      pdf: '%PDF-1.7',
      bmp: 'BM\0\0\0\0\0\0',
      heic: images.avif.toString('latin1').replace('ftypavif', 'ftypheic'),
      text: 'x',
      signature: images.png.subarray(0, 8).toString('latin1'),
      cutPng: images.png.subarray(0, -12).toString('latin1'),
      cutWebp: images.webp.subarray(0, -4).toString('latin1'),
      cutJpg: images.jpg.subarray(0, 60).toString('latin1'),
      cutAvif: images.avif.subarray(0, 60).toString('latin1'),
      flat: png(1, 0).toString('latin1'),
    };
    for (const [name, text] of Object.entries(others))
      assert.deepEqual(validateImage(Buffer.from(text, 'latin1')), bad, name);
  });

  it('has an end, in bytes and in pixels', () => {
    assert.deepEqual(validateImage(new Uint8Array()), { errors: ['The submitted file is empty.'] });
    const large = Buffer.concat([images.png, Buffer.alloc(maxImageBytes)]);
    assert.match(JSON.stringify(validateImage(large)), /may have at most 10485760/);
    assert.match(JSON.stringify(validateImage(png(20_000, 20_000))), /20000 by 20000 pixels; it may have at most/);
  });

  it('is told soon, whatever the bytes are', () => {
    const began = performance.now();
    for (const [extension, bytes] of Object.entries(images)) {
      const zeros = new Uint8Array(maxImageBytes - 64);
      zeros.set(bytes.subarray(0, 12));
      readImageInfo(zeros);
      // A box or segment after the other that means nothing.
      for (let at = 32; at < zeros.length; at += 8) zeros.set([0xff, 0xe1, 0, 8], at);
      readImageInfo(zeros);
      for (let at = 0; at < bytes.length; at++)
        for (const value of [0, 1, 0x7f, 0xff]) {
          const damaged = new Uint8Array(bytes);
          damaged[at] = value;
          const facts = readImageInfo(damaged);
          assert.ok(facts === null || (facts.width > 0 && facts.height > 0), extension);
        }
    }
    assert.ok(performance.now() - began < 20_000);
  });
});
