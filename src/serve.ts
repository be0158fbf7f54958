/** The doorway between the rooms: a folder's catalogue, served over HTTP. */
import { openFolder } from './files/file-catalogue.ts';
import { createApp, notReady } from './server/app.ts';
import { listen } from './server/listen.ts';

export interface ServeOptions {
  /** Path of the catalogue folder. */
  readonly folder: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** What links begin with; by default as the settings or each request say. */
  readonly baseUrl?: string | undefined;
  /** Write nothing, not even caches. */
  readonly readOnly?: boolean;
  readonly log?: (line: string) => void;
}

export interface Serving {
  readonly url: string;
  /** The catalogue's title. */
  readonly title: string;
  /** Finishes what is under way, and lets go of folder and port. */
  close(): Promise<void>;
}

/**
 * Serves the catalogue in a folder; resolves once it answers.
 * @throws UnusableCatalogueError, AddressError
 */
export async function startServer(options: ServeOptions): Promise<Serving> {
  const { folder, host, port, baseUrl, readOnly = false, log = () => {} } = options;
  const catalogue = await openFolder(folder, { readOnly, log });
  // The port is taken first: whoever asks while the files are being read is told to wait.
  const listening = await listen(notReady, host, port);
  try {
    await catalogue.follow();
  } catch (error) {
    await listening.close(0);
    throw error;
  }
  const { accounts } = catalogue;
  const health = () => {
    const { made, failed } = catalogue.commits;
    return catalogue.snapshot.settings.git.commit ? { commits: { made, failed } } : {};
  };
  listening.answerWith(createApp((viewer) => catalogue.for(viewer), { accounts, baseUrl, readOnly, health, log }));
  return {
    url: listening.url,
    get title() {
      return catalogue.snapshot.settings.title;
    },
    async close() {
      await listening.close();
      await catalogue.close();
    },
  };
}
