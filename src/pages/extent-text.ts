/** Bounding boxes in words. */
import type { Locale } from './locale.ts';

/** A bounding box in words: `180° W to 180° E, 90° S to 83.6° N`; of a point, `8.5° E, 47.4° N`. */
export function extentText(locale: Locale, bbox: readonly number[]): string {
  const [west = 0, south = 0, third = 0, fourth = 0, fifth = 0] = bbox;
  const [east, north] = bbox.length === 6 ? [fourth, fifth] : [third, fourth];
  const sides = (axis: 'longitude' | 'latitude', ...ends: readonly number[]) => {
    const [from = '', to = ''] = ends.map((degrees) => locale.degrees(degrees, axis));
    return from === to ? from : locale.text('degreesFromTo', { from, to });
  };
  return `${sides('longitude', west, east)}, ${sides('latitude', south, north)}`;
}
