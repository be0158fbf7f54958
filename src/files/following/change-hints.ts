/** Hints about changes of what isn't watched: the journal of our own writes, and the files that git has changed. */
import { HeadTracker } from '../git/head-tracker.ts';
import { JournalReader } from './journal.ts';

export class ChangeHints {
  readonly #journal: JournalReader;
  #git: HeadTracker | null = null;
  #isReading = false;

  /** @param root path of the catalogue folder */
  constructor(root: string) {
    this.#journal = new JournalReader(root);
    void HeadTracker.open(root).then((git) => {
      this.#git = git;
    });
  }

  /** Paths that changed since the last call, in lists of which one is null if it may lack some; none while they are being read. */
  async read(): Promise<readonly (readonly string[] | null)[]> {
    if (this.#isReading) return [];
    this.#isReading = true;
    try {
      return [this.#journal.read(), (await this.#git?.takeChangedPaths()) ?? []];
    } finally {
      this.#isReading = false;
    }
  }
}
