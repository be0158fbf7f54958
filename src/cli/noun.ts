/** Nouns as data: what the verbs add, list, show, edit and remove are made of. */
import type { Option } from 'commander';
import type { Catalogue, CreatableKind, Input, WritableKind } from '../catalogue/catalogue.ts';
import type { Refs } from '../catalogue/ref.ts';
import type { Entities } from '../catalogue/types.ts';
import type { Links } from '../catalogue/urls.ts';
import type { Call } from './command.ts';
import type { Output } from './output/show.ts';

/** Options of the verbs, besides those of the record's fields. */
export interface NounOptions {
  readonly label?: string;
  readonly slug?: string;
  readonly namespace?: string;
  readonly search?: string;
  readonly ordering?: string;
  readonly limit?: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The help of a verb. */
interface Help {
  /** Default: the verb, and for all but list the noun's argument. */
  readonly usage?: string;
  readonly description: string;
  readonly notes?: string;
  readonly examples: readonly string[];
}

/** A record before and after an edit. In a dry run, the catalogue has it as before. */
export interface EntityChange<K extends WritableKind> {
  readonly before: Entities[K];
  readonly entity: Entities[K];
  readonly input: Input;
  readonly dryRun?: boolean | undefined;
}

/** A noun whose records are shown, edited and removed. `Own` are the options that only this noun has. */
export interface RecordNoun<K extends WritableKind, Own extends object = object> {
  readonly kind: K;
  /** The argument's name in usage lines. */
  readonly argument: string;
  /** @throws ValidationError where the text can't be the name of such a record */
  parse(name: string): Refs[K];
  /** Finds the record itself where a name may stand for another, such as `latest`. */
  resolve?(call: Call, catalogue: Catalogue, ref: Refs[K]): Promise<Refs[K]>;
  /** The API's object. */
  represent(entity: Entities[K], links: Links): unknown;
  /** Options of add and edit that aren't fields of the record's schema, such as --member. */
  options?(): readonly Option[];
  /** Reads those options and the words behind the name. @returns fields of the input */
  ownInput?(options: Own, words: readonly string[]): Input;
  readonly show: Help & {
    /** Shows a record to people and programs. Default: the lines of its fields. */
    print?(call: Call, entity: Entities[K], catalogue: Catalogue): void | Promise<void>;
  };
  readonly edit: Help & {
    /** Options that only edit has, such as --slug. */
    options?(): readonly Option[];
    /** Checks or completes the fields given, with a look into the catalogue. */
    complete?(call: Call, catalogue: Catalogue, ref: Refs[K], input: Input): Promise<Input>;
    /** Sentences about what follows from the change, in words that fit a dry run, too. */
    consequences?(call: Call, catalogue: Catalogue, change: EntityChange<K>): Promise<readonly string[]>;
  };
  readonly remove: Help & {
    /** The parts that are removed with the record, for the confirmation question: ` with password and tokens`. */
    contents?(entity: Entities[K]): string;
  };
}

/** A noun whose records are also added and listed. */
export interface Noun<K extends CreatableKind, Own extends object = object> extends RecordNoun<K, Own> {
  readonly add: Help & {
    /** Options that only add has. */
    options?(): readonly Option[];
    /** True if no field is mandatory on the command line, since `input` derives or checks them. */
    readonly isPartial?: boolean;
    /** Makes all fields. Default: the name, unless the label makes it, and the fields given. */
    input?(call: Call, words: readonly string[], options: Own & NounOptions): Promise<Input>;
  };
  readonly list: Help & {
    /** The noun in the plural: `namespaces`. */
    readonly plural: string;
    readonly headings: readonly string[];
    row(entity: Entities[K], show: Output): readonly string[];
  };
}
