/**
 * Stamps of files; and those of several as one text, in which they need a fifth of the memory of objects: a line for each,
 * `<ino> <size> <mtime> <ctime> <path>`. A path that begins with a slash is relative to the first one. An mtime that is
 * equal to the ctime is left out; a missing file has a path only.
 */
import type { Stats } from 'node:fs';
import type { Steps } from '../../catalogue/steps.ts';
import type { Stamp } from './file-tree.ts';

/** Files that a step of a long work looks at. Each takes some ten microseconds. */
export const filesInStep = 64;

/**
 * Milliseconds after a change in which a second change can get the same time, because the clock of a file system ticks.
 * A file that was changed within them gets a stamp that equals no other, so that it is read again. A time in whole seconds
 * means a slow clock (FAT: two seconds).
 */
export const tick = 20;
const slowTick = 2100;

export function stampFrom(stats: Stats): Stamp {
  const { mtimeMs, ctimeMs } = stats;
  const changed = Math.max(mtimeMs, ctimeMs);
  const isRecent = Math.abs(Date.now() - changed) < (changed % 1000 === 0 ? slowTick : tick);
  return isRecent ? { ...exactStampFrom(stats), mtime: -1 } : exactStampFrom(stats);
}

/** The stamp of a file as it is, even if a later change could get an equal one. */
export const exactStampFrom = (stats: Stats): Stamp => ({
  ino: stats.ino,
  size: stats.isDirectory() ? 0 : stats.size,
  mtime: stats.mtimeMs,
  ctime: stats.ctimeMs,
});

/** True if two stamps mean "unchanged". */
export function isSameStamp(a: Stamp | null, b: Stamp | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mtime !== -1 && a.ino === b.ino && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
}

/** True if two stamps are of the same file with the same contents, as far as the clock of the file system tells them apart. */
export const isSameFile = (a: Stamp, b: Stamp): boolean => a.ino === b.ino && a.size === b.size && a.ctime === b.ctime;

/** The text of stamps by path; see the head of this module. */
export type PackedStamps = string & { readonly packed?: never };

/** Packs stamps. */
export function packStamps(stamps: Iterable<readonly [path: string, stamp: Stamp | null]>): PackedStamps {
  // Joined: a text that grows by "+=" is a tree of its parts until it is read.
  const lines: string[] = [];
  let home: string | undefined;
  for (const [path, stamp] of stamps) {
    home ??= path;
    // The root has the path '', and no other path begins with a slash.
    const place = home !== '' && path.startsWith(`${home}/`) ? path.slice(home.length) : path;
    const { ino, size, mtime, ctime } = stamp ?? { ino: '', size: '', mtime: '', ctime: '' };
    const name = /[%\n]/.test(place) ? place.replace(/[%\n]/g, encodeURIComponent) : place;
    lines.push(`${ino} ${size} ${mtime === ctime ? '' : mtime} ${ctime} ${name}\n`);
  }
  return lines.join('');
}

/** Stamps in a packed text, in their order. */
export function* unpackStamps(text: PackedStamps): Generator<readonly [path: string, stamp: Stamp | null]> {
  for (const reader = new StampReader(text); reader.next(); ) yield [reader.path, reader.stamp];
}

/** True if a test is true of all stamps in a packed text. As a start calls it for a hundred thousand files, it is no generator. */
export function isTrueOfStamps(text: PackedStamps, test: (path: string, stamp: Stamp | null) => boolean): boolean {
  for (const reader = new StampReader(text); reader.next(); ) if (!test(reader.path, reader.stamp)) return false;
  return true;
}

/** As `isTrueOfStamps`, in steps. */
export function* isTrueOfStampsInSteps(
  text: PackedStamps,
  test: (path: string, stamp: Stamp | null) => boolean,
): Steps<boolean> {
  const reader = new StampReader(text);
  for (let count = 1; reader.next(); count++) {
    if (!test(reader.path, reader.stamp)) return false;
    if (count % filesInStep === 0) yield;
  }
  return true;
}

/** Digits of whole numbers that are surely exact. */
const maxDigits = 15;
/** Digits of a time in milliseconds before the point from which `#number` may add those behind it, and the most of these. */
const minTimeDigits = 10;
const maxFraction = 4;

/** Reads the lines of a packed text, one after another. */
class StampReader {
  path = '';
  stamp: Stamp | null = null;
  readonly #text: string;
  #home: string | undefined;
  #at = 0;

  constructor(text: PackedStamps) {
    this.#text = text;
  }

  /** @returns false at the end */
  next(): boolean {
    if (this.#at >= this.#text.length) return false;
    const ino = this.#number();
    const size = this.#number();
    const mtime = this.#number();
    const ctime = this.#number();
    const place = this.#place();
    this.#home ??= place;
    this.path = place.startsWith('/') ? this.#home + place : place;
    this.stamp = Number.isNaN(ctime) ? null : { ino, size, mtime: Number.isNaN(mtime) ? ctime : mtime, ctime };
    return true;
  }

  /**
   * The number before the next space; NaN if there is none. Most are read digit by digit, in a tenth of the time of `Number`. A
   * time is the same number then: a sum of both parts is rounded as the whole text would be, since no text with so few
   * digits behind the point is nearer to the middle between two numbers than the rounding of the second part, but for the middle itself.
   */
  #number(): number {
    const start = this.#at;
    const text = this.#text;
    let whole = 0;
    let at = start;
    let code = text.charCodeAt(at);
    for (; code >= 48 && code <= 57; code = text.charCodeAt(++at)) whole = whole * 10 + code - 48;
    const digits = at - start;
    let part = 0;
    let scale = 1;
    if (code === 46 && digits >= minTimeDigits) {
      code = text.charCodeAt(++at);
      const partStart = at;
      for (; code >= 48 && code <= 57 && at - partStart < maxFraction; code = text.charCodeAt(++at)) {
        part = part * 10 + code - 48;
        scale *= 10;
      }
    }
    if (code === 32 && digits <= maxDigits) {
      this.#at = at + 1;
      return digits === 0 ? Number.NaN : whole + part / scale;
    }
    const end = text.indexOf(' ', at);
    this.#at = end + 1;
    return Number(text.slice(start, end));
  }

  #place(): string {
    const start = this.#at;
    const end = this.#text.indexOf('\n', start);
    this.#at = end + 1;
    const place = this.#text.slice(start, end);
    return place.includes('%') ? place.replace(/%25|%0A/g, decodeURIComponent) : place;
  }
}

/** In the place of a path: a unit with it is outdated. */
const outdatedMark = '';

/** The same paths and times, with a stamp that no file has: they count as changed. */
export function outdateStamps(text: PackedStamps): PackedStamps {
  const stamps = new Map(unpackStamps(text));
  return packStamps(stamps.set(outdatedMark, { ino: -1, size: -1, mtime: -1, ctime: -1 }));
}

/** True for stamps that `outdateStamps` made: none of them says that a file is unchanged. */
export const areOutdated = (stamps: ReadonlyMap<string, Stamp | null>): boolean => stamps.has(outdatedMark);

/** True for what `outdateStamps` adds in the place of a path. */
export const isOutdatedMark = (path: string): boolean => path === outdatedMark;

/** Time of the last change in a packed text, in milliseconds since 1970: the greatest ctime; 0 if there is no file. */
export function latestChange(text: PackedStamps): number {
  let latest = 0;
  for (let start = 0; start < text.length; start = text.indexOf('\n', start) + 1) {
    let from = start;
    for (let i = 0; i < 3; i++) from = text.indexOf(' ', from) + 1;
    latest = Math.max(latest, Number(text.slice(from, text.indexOf(' ', from))));
  }
  return latest;
}
