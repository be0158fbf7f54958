/** Following a folder as it changes. */
import type { Scope } from './store.ts';

export interface WatchOptions {
  readonly log: (line: string) => void;
  readonly refresh: (scopes: readonly Scope[]) => Promise<void>;
}

export class Watch {
  readonly root: string;
  readonly options: WatchOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(root: string, options: WatchOptions) {
    this.root = root;
    this.options = options;
  }

  async start(): Promise<void> {
    const sweep = () => {
      this.#timer = setTimeout(() => this.options.refresh([{ folder: '' }]).then(sweep, sweep), 1000);
    };
    sweep();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
  }
}
