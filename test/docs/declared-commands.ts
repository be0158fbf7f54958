/** The commands that the program declares, and what a line in a document names besides. */
import type { Command, Option } from 'commander';
import type { Context } from '../../src/cli/context.ts';
import { addCommandsToNoun, createProgram, nouns } from '../../src/cli/program.ts';
import { plainCommand } from './terminal.ts';

/** The program with all of its commands. */
export async function declaredCommands(): Promise<Command> {
  const context = { columns: 80, out: () => {}, err: () => {} } as unknown as Context;
  const program = createProgram(context, () => {});
  for (const noun of program.commands) {
    const commands = await nouns[noun.name()]?.load();
    if (commands) (await addCommandsToNoun(noun, commands, context, () => {}))();
  }
  return program;
}

/** Words of a command line that name no command and no option. @param line `catalogue dataset add …` */
export function findUnknownWords(program: Command, line: string): readonly string[] {
  const [, ...words] = plainCommand(line)?.argv ?? [];
  let command = program;
  const unknown: string[] = [];
  let isValue: boolean = false;
  for (const word of words) {
    const option: string | null = !isValue && /^--?[a-z]/.test(word) ? word.replace(/=.*/, '') : null;
    if (option) {
      const found: Option | undefined = optionsOf(command).find(
        ({ long, short }) => long === option || short === option,
      );
      if (!found) unknown.push(option);
      isValue = found !== undefined && !found.isBoolean() && !word.includes('=');
    } else if (!isValue && command.commands.length > 0) {
      const found = command.commands.find((one) => one.name() === word);
      if (!found) return [...unknown, word];
      command = found;
    } else isValue = false;
  }
  return unknown;
}

const optionsOf = (command: Command): Command['options'] => [
  ...command.createHelp().visibleOptions(command),
  ...(command.parent ? optionsOf(command.parent) : []),
];
