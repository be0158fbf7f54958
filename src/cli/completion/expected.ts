/** The kind of word that comes next on a command line, by the declarations of the commands. */
import type { Argument, Command, Option } from 'commander';
import type { Declared } from '../command.ts';

/** The kind of the current word, and its place. */
export type Expected =
  | { readonly what: 'command'; readonly at: Command }
  | { readonly what: 'option'; readonly at: Command; readonly given: Given }
  | { readonly what: 'argument'; readonly at: Command; readonly given: Given; readonly argument: Argument }
  | {
      readonly what: 'value';
      readonly at: Command;
      readonly given: Given;
      readonly option: Option;
      /** The text before the value in the same word: `--format=`. */
      readonly prefix: string;
    }
  | { readonly what: 'nothing' };

/** The words before the current one. */
export interface Given {
  readonly arguments: readonly string[];
  /** Values by the options' names, such as `dryRun`; true for those without a value. The last one counts. */
  readonly options: Readonly<Record<string, string | true>>;
}

/** Reads the words before the current one. */
export async function expectedNextWord(
  { program, load }: Declared,
  words: readonly string[],
  current: string,
): Promise<Expected> {
  let at = program;
  let waiting: Option | undefined;
  let onlyArguments = false;
  const given = { arguments: [] as string[], options: {} as Record<string, string | true> };

  for (const word of words) {
    if (waiting && isValueOf(waiting, word)) {
      given.options[waiting.attributeName()] = word;
      waiting = undefined;
      continue;
    }
    if (waiting) given.options[waiting.attributeName()] = true;
    waiting = undefined;
    if (!onlyArguments && word === '--') onlyArguments = true;
    else if (!onlyArguments && /^-./.test(word)) {
      const { option, value } = optionIn(at, word);
      if (option && takesValue(option) && value === undefined) waiting = option;
      else if (option) given.options[option.attributeName()] = value ?? true;
    } else if (at.commands.length) {
      const next = at.commands.find((command) => command.name() === word);
      if (!next) return { what: 'nothing' };
      if (at === program) await load(next);
      at = next;
    } else given.arguments.push(word);
  }

  if (waiting && isValueOf(waiting, current)) return { what: 'value', at, given, option: waiting, prefix: '' };
  if (waiting) given.options[waiting.attributeName()] = true;
  if (!onlyArguments && current.startsWith('-')) {
    const { option, value } = optionIn(at, current);
    if (value === undefined) return { what: 'option', at, given };
    const prefix = current.slice(0, current.length - value.length);
    return option && takesValue(option) ? { what: 'value', at, given, option, prefix } : { what: 'nothing' };
  }
  if (at.commands.length) return { what: 'command', at };
  const last = at.registeredArguments.at(-1);
  const argument = at.registeredArguments[given.arguments.length] ?? (last?.variadic ? last : undefined);
  return argument ? { what: 'argument', at, given, argument } : { what: 'nothing' };
}

/** True if a word behind an option is its value: of an optional one, none that begins with a minus. */
const isValueOf = (option: Option, word: string) => !(option.optional && word.startsWith('-'));

const takesValue = (option: Option) => option.required || option.optional;

/** The option that a word names, and the value in the same word: `--format=csv`, `-ofile`. */
function optionIn(command: Command, word: string): { option: Option | undefined; value: string | undefined } {
  const isLong = word.startsWith('--');
  const at = isLong ? word.indexOf('=') : 2;
  const name = at > 0 ? word.slice(0, at) : word;
  const rest = isLong ? word.slice(at + 1) : word.slice(at);
  const option = command.options.find(({ long, short }) => name === (isLong ? long : short));
  return { option, value: (isLong ? at > 0 : rest !== '') ? rest : undefined };
}
