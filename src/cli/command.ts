/** What a command is: a declaration that `program.ts` hands to commander, and a function that does it. */
import type { Command, Option } from 'commander';
import type { Credentials } from '../catalogue/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Context, RemoteCatalogue } from './context.ts';
import type { Show } from './output/show.ts';

export interface Verb<Options extends object = object> {
  /** The word, and its arguments as commander writes them: `add <name>`, `list [namespace]`, `data <name> [filters...]`. */
  readonly usage: string;
  /** One sentence. */
  readonly description: string;
  /** What else there is to know. */
  readonly notes?: string;
  /** Whole command lines, each a line of the help. A test runs them. */
  readonly examples: readonly string[];
  /**
   * What it works on: one catalogue, in a folder or elsewhere (the default); a folder only; a folder and a catalogue
   * elsewhere at once; or none, but perhaps what is known of one elsewhere.
   */
  readonly on?: 'folder' | 'both' | 'nothing';
  options?(): readonly Option[];
  /** Reads the arguments, calls one method, shows the answer. @returns the exit code */
  run(call: Call, args: readonly (string | undefined)[], options: Options): Promise<number>;
}

/** A noun with its verbs, or a command that is one word. */
export type Commands = { readonly verbs: readonly Verb[] } | { readonly command: Verb };

/** Options that every command takes, before the noun or behind the verb. */
export interface GlobalOptions {
  readonly data?: string;
  readonly remote?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** One use of the command line. */
export interface Call {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly show: Show;
  /**
   * Path of the catalogue's folder, from the current one.
   * @throws UnusableCatalogueError where there is none; UsageError where one elsewhere is meant
   */
  folder(): string;
  /** Whether a catalogue elsewhere is meant, and not one in a folder. */
  readonly isRemote: boolean;
  /** The catalogue that is meant: in a folder or, by --remote or CATALOGUE_REMOTE, elsewhere. */
  open(): Promise<Catalogue>;
  /** Who may sign in to it. */
  accounts(): Promise<Credentials>;
  /**
   * A catalogue elsewhere, as the one who is signed in there.
   * @param given a name or an address; default: as --remote or CATALOGUE_REMOTE say
   * @throws NotFoundError for a name that isn't known; UsageError; UnreachableError
   */
  remote(given?: string): Promise<RemoteCatalogue>;
  /** Its address. @throws NotFoundError, UsageError */
  remoteUrl(given?: string): Promise<string>;
  /** The command line itself, for those who speak of it. */
  declared(): Declared;
}

/** All commands there are. */
export interface Declared {
  readonly program: Command;
  /** Declares the verbs or the options of a noun; to be called once for each. */
  load(noun: Command): Promise<void>;
}
