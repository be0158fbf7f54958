/** Drawing a picture as PNG in a worker thread: ten thousand dots take some tenths of a second. */
import { pictureAsPng } from './picture-png.ts';

/** @returns the PNG, and the milliseconds that it took */
export function drawPng(svg: string): { readonly png: Uint8Array; readonly milliseconds: number } {
  const start = performance.now();
  // A copy of its own, which can be moved to the main thread.
  const png = new Uint8Array(pictureAsPng(svg));
  return { png, milliseconds: performance.now() - start };
}
