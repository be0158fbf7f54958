/** Room in a folder of kept files. Measuring the folder takes a system call for each file: it is done when the room may be used up. */

/** Part of the most bytes that may be added before the folder is measured again: other processes add files, too. */
const partBetweenMeasurings = 0.1;
/** Milliseconds after which it is measured in any case, so that unfinished files of others are deleted. */
const longestBetweenMeasurings = 3_600_000;
/** Number of files above which more room is made than is needed, so that a full folder isn't measured for each file. */
const manyFiles = 1000;

export class CacheRoom {
  #left = 0;
  #maxBytes = 0;
  #measured = Number.NEGATIVE_INFINITY;

  /** Notes an added file. @returns true if the folder is to be measured, and files to be deleted */
  add(bytes: number, maxBytes: number): boolean {
    this.#left -= bytes;
    return this.#left < 0 || maxBytes !== this.#maxBytes || Date.now() - this.#measured > longestBetweenMeasurings;
  }

  /** Notes the bytes of all files that were kept. */
  noteMeasured(total: number, maxBytes: number): void {
    this.#left = Math.min(maxBytes - total, maxBytes * partBetweenMeasurings);
    this.#maxBytes = maxBytes;
    this.#measured = Date.now();
  }
}

/** Bytes down to which files are deleted from a folder. @param files their number, and their bytes together */
export const bytesToKeep = (files: number, total: number, maxBytes: number): number =>
  files > manyFiles && total > maxBytes ? maxBytes * (1 - partBetweenMeasurings) : maxBytes;
