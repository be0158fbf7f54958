/** Commands: declarations that `program.ts` hands to commander, with the functions that run them. */
import type { Command, Option } from 'commander';
import type { Credentials } from '../catalogue/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Context, RemoteCatalogue } from './context.ts';
import type { Output } from './output/show.ts';

/** The catalogues that a command works on: a local one only, a local and a remote one, or none. */
export type WorksOn = 'folder' | 'both' | 'nothing';

export interface Verb<Options extends object = object> {
  /** The verb, and its arguments as commander writes them: `add <name>`, `list [namespace]`, `data <name> [filters...]`. */
  readonly usage: string;
  /** One sentence. */
  readonly description: string;
  /** Further paragraphs of the help. */
  readonly notes?: string;
  /** Whole command lines, each a line of the help. A test checks them. */
  readonly examples: readonly string[];
  /** The catalogues that it works on, if need be by its arguments. Default: one, local or remote. */
  readonly on?: WorksOn | ((args: readonly (string | undefined)[]) => WorksOn | undefined);
  options?(): readonly Option[];
  /** Reads the arguments, calls one method and shows the result. @returns the exit code */
  run(call: Call, args: readonly (string | undefined)[], options: Options): Promise<number>;
}

/** A noun with its verbs, or a command that is one word. */
export type Commands = { readonly verbs: readonly Verb[] } | { readonly command: Verb };

/** Options that every command has. */
export interface GlobalOptions {
  readonly data?: string;
  readonly remote?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** One call of a command. */
export interface Call {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly show: Output;
  /**
   * Path of the catalogue's folder, from the current one.
   * @throws UnusableCatalogueError if there is none; UsageError if a remote catalogue is selected
   */
  folder(): string;
  /** True if a remote catalogue is selected. */
  readonly isRemote: boolean;
  /** Opens the selected catalogue: remote with --remote or CATALOGUE_REMOTE, else the one in the folder. */
  open(): Promise<Catalogue>;
  /** Its accounts. */
  accounts(): Promise<Credentials>;
  /**
   * Opens a remote catalogue, as the user who is signed in there.
   * @param given name or address; default: --remote or CATALOGUE_REMOTE, else the folder's origin
   * @throws NotFoundError for an unknown name; UsageError; UnreachableError
   */
  remote(given?: string): Promise<RemoteCatalogue>;
  /** The address of a remote catalogue. @throws NotFoundError, UsageError */
  remoteUrl(given?: string): Promise<string>;
  /** The token for a remote catalogue. @throws NotFoundError, UsageError */
  signInAt(given?: string): Promise<SignIn>;
  /** Allows CATALOGUE_TOKEN to be sent to an address that was typed, unless --remote or CATALOGUE_REMOTE says where it belongs. */
  allowTokenAt(given: string): void;
  /** The declarations of all commands, for completion. */
  declared(): Declared;
}

/** Token that is sent to a remote. */
export interface SignIn {
  /** Undefined if nobody is signed in. */
  readonly token: string | undefined;
  /** True for CATALOGUE_TOKEN. */
  readonly isFromEnvironment: boolean;
}

/** The declarations of all commands. */
export interface Declared {
  readonly program: Command;
  /** Adds the verbs or the options of a noun; to be called once for each. */
  load(noun: Command): Promise<void>;
}
