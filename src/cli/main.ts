/** The command line as a function: arguments in, exit code out. */
import { type Command, CommanderError } from 'commander';
import {
  ConflictError,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  ObjectStoreError,
  StaleError,
  UnreachableError,
  ValidationError,
} from '../catalogue/errors.ts';
import type { Context } from './context.ts';
import { InterruptedError, UsageError } from './errors.ts';
import { contextWithHarmlessOutput } from './output/terminal.ts';
import { createProgram, readGlobalOptions } from './program.ts';

/** Exit codes of errors; all others are 1, failed. */
const exitCodes: readonly (readonly [kind: new (...args: never[]) => Error, exitCode: number])[] = [
  [UsageError, 2],
  [ValidationError, 2],
  [NotFoundError, 3],
  [MovedError, 3],
  [NotAuthenticatedError, 4],
  [NotPermittedError, 4],
  [ConflictError, 5],
  [StaleError, 5],
  [UnreachableError, 6],
  [ObjectStoreError, 6],
  // The exit code of a program that SIGINT (2) has killed: 128 + 2.
  [InterruptedError, 130],
];

/**
 * Runs one command.
 * @param argv arguments, without the program's name
 * @returns the exit code; nothing is thrown
 */
export async function main(argv: readonly string[], given: Context): Promise<number> {
  const context = contextWithHarmlessOutput(given);
  let exitCode = 0;
  let called: Command | undefined;
  const program = createProgram(context, (code) => {
    exitCode = code;
  });
  program.hook('preAction', (_program, command) => {
    called = command;
  });
  try {
    await program.parseAsync(withHelp(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has written its help or its message by itself.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { errorMessage } = await import('./output/messages.ts');
    const isVerbose = called !== undefined && readGlobalOptions(called).verbose === true;
    context.err(`${errorMessage(error, called, isVerbose)}\n`);
    return exitCodes.find(([kind]) => error instanceof kind)?.[1] ?? 1;
  } finally {
    await context.close();
  }
}

/** The arguments, with `catalogue` alone and `catalogue help dataset add` rewritten to --help. */
function withHelp(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  return first === undefined || first === 'help' ? [...rest, '--help'] : argv;
}
