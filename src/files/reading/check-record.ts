/** A record's text, parsed and validated: its contents, or what is wrong with it and where. Pure: threads use it too. */
import { type Diagnostic, type DiagnosticCode, excerptAt } from '../../catalogue/diagnostic.ts';
import { excerpt } from '../../catalogue/errors.ts';
import type { RecordKind, RecordOf } from '../../catalogue/schemas.ts';
import { adviseToQuote, isQuoteAdvice } from '../../catalogue/validators.ts';
import {
  type Format,
  findPlainScalar,
  makePositionFinder,
  type Parsed,
  parseRecordText,
  type TextPosition,
} from '../../text/parse.ts';
import { validateRecord } from './validate-record.ts';

/** Maximum length of the pointer of a diagnostic: keys may be very long, and one record has up to fifty diagnostics. */
const maxPointer = 1000;

/** A diagnostic of a text, whose file isn't known yet. */
export type Problem = Omit<Diagnostic, 'path' | 'severity'>;

/** The contents of a record; or its first syntax error, or the errors of its schema. */
export type CheckedRecord<K extends RecordKind = RecordKind> =
  | { readonly value: RecordOf<K> }
  | { readonly problems: readonly Problem[] };

/** @param parsed of the text, if that has been done */
export function checkRecordText<K extends RecordKind>(
  kind: K,
  text: string,
  format: Format,
  parsed: Parsed = parseRecordText(text, format),
): CheckedRecord<K> {
  if ('error' in parsed) {
    const { message, pointer } = parsed.error;
    return { problems: [makeProblem(text, 'syntax', message, pointer, parsed.error)] };
  }
  const checked = validateRecord(kind, parsed.value);
  if ('value' in checked) return checked;
  const placeAt = makePositionFinder(text, format);
  return {
    problems: checked.errors.map(({ pointer, message }) => {
      // Of 1.10, the value is 1.1: what stands in the file is meant.
      const written = isQuoteAdvice(message) && findPlainScalar(text, format, pointer);
      const advice = written ? adviseToQuote(message, excerpt(written)) : message;
      return makeProblem(text, 'schema', advice, pointer, placeAt(pointer));
    }),
  };
}

/** A problem at a place in a text, with an excerpt. */
export function makeProblem(
  text: string,
  code: DiagnosticCode,
  message: string,
  pointer: string,
  { line, column }: TextPosition,
): Problem {
  const excerpt = excerptAt(text, line, column);
  const place = { line, column, pointer: pointer.slice(0, maxPointer) };
  return { ...place, message, code, ...(excerpt && { excerpt }), ...(saysPrivate.test(text) && { isPrivate: true }) };
}

/** A line of YAML or a member of JSON by which not everybody may see a record: it must hold where the rest can't be read. */
const saysPrivate = /(?:^|[\s{,"'])(?:visibility["']?\s*:\s*["']?private|draft["']?\s*:\s*["']?(?:true|yes|on))\b/i;
