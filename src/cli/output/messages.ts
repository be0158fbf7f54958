/** Messages of errors: what is wrong, and what to type instead. */
import type { Command } from 'commander';
import { CatalogueError, DataLossError, ServiceReport, ValidationError } from '../../catalogue/errors.ts';
import { escapeKeepingLines } from '../../catalogue/printable-text.ts';
import { optionFlag } from '../fields.ts';
import { systemErrorText } from './system-errors.ts';

/**
 * The message of an error.
 * @param command the command that was called, whose options the fields of a ValidationError came from
 * @param isVerbose adds the stack
 */
export function errorMessage(error: unknown, command: Command | undefined, isVerbose = false): string {
  const stack = isVerbose && error instanceof Error ? `\n${stackOf(error)}` : '';
  return escapeKeepingLines(`error: ${textOf(error, command)}${stack}`, ' '.repeat('error: '.length));
}

/** The stacks of an error and of its causes. */
function stackOf({ stack = '', cause }: Error): string {
  return cause instanceof Error ? `${stack}\ncaused by ${stackOf(cause)}` : stack;
}

/** What other services said, in the causes of an error. */
function reportsOf({ cause }: Error): readonly string[] {
  if (!(cause instanceof Error)) return [];
  return cause instanceof ServiceReport ? [`(${cause.message})`] : reportsOf(cause);
}

function textOf(error: unknown, command: Command | undefined): string {
  if (error instanceof ValidationError) return fieldMessages(error, command);
  if (error instanceof DataLossError)
    return [error.message, error.advice, `To publish it all the same, add --${error.override}.`]
      .filter((line) => line !== null)
      .join('\n       ');
  if (error instanceof CatalogueError) return [error.message, ...reportsOf(error)].join('\n       ');
  if (!(error instanceof Error)) return String(error);
  const text = systemErrorText(error);
  if (text) return text;
  const { code, message } = error as NodeJS.ErrnoException;
  // Any other error is a defect of the program.
  return code ? message : `${error.name}: ${message}\n       This is a defect of the program; --verbose shows where.`;
}

function fieldMessages(error: ValidationError, command: Command | undefined): string {
  return Object.entries(error.fields)
    .map(([field, messages]) => {
      const text = messages.join(' ');
      if (field === 'non_field_errors') return text;
      // A parameter of a data address begins with an underscore; its option doesn't.
      const name = field.replace(/^_/, '');
      const flags = [optionFlag(name, false), optionFlag(name, true)];
      const option = command?.options.find(({ long }) => long && flags.includes(long));
      return `${option?.long ?? field}: ${text}`;
    })
    .join('\n       ');
}
