/** What a thread of this process knows of writers, for writer.test.ts. */
import { writerMark, writerState } from '../../src/disk/writer.ts';

/** The mark of the thread, and what it knows of another one. */
export const marks = (other: string) => ({ own: writerMark, other: writerState(other) });
