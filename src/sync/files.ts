/** What one side has: its files by path, as far as keeping in step needs to know them. */

export interface FileState {
  /** SHA-256 in hexadecimal. */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
}

export type Files = ReadonlyMap<string, FileState>;

/** The two sides: `ours` is where the command was typed. */
export type Side = 'ours' | 'theirs';
