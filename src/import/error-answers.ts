/** Answers with the status 200 that say that they are an error, as those of ArcGIS, CKAN and Socrata do. */
import { excerpt, ValidationError } from '../catalogue/errors.ts';
import { type OpenDocument, readDocumentText } from './documents.ts';
import { membersOf, textOf } from './imported.ts';

/** Most bytes of such an answer. */
const longest = 64 * 1024;

/** @throws ValidationError for an error in JSON: as a table, it would be the newest version of a dataset */
export async function assertIsNoError(document: OpenDocument): Promise<void> {
  if (document.size > longest) return;
  const answer = membersOf(
    await readDocumentText(document)
      .then(JSON.parse)
      .catch(() => null),
  );
  const { success, error, message } = answer;
  const given = membersOf(error);
  const isError = success === false || error === true || given.message !== undefined || given.code !== undefined;
  if (!isError || Object.values(answer).some(Array.isArray)) return;
  const reason = textOf(given.message) || textOf(message) || 'no reason given';
  throw new ValidationError({ source: [`${document.address}: the server answered with an error: ${excerpt(reason)}`] });
}

/** Words of sentences about errors; with a blank beside them, since names of columns may have them. */
const errorWords =
  /\b(?:error|limit|denied|forbidden|unauthori[sz]ed|not found|unavailable|exceeded|too many|invalid|expired)\b/i;

/**
 * @param ref text of the reference to the dataset that would get the table
 * @throws ValidationError for a sentence in place of a table: a line without rows that is no list of names, or a few lines about an error.
 *   As a table, its columns would be those that the dataset is expected to keep.
 */
export async function assertIsNoSentence(document: OpenDocument, ref: string): Promise<void> {
  if (document.size > longest) return;
  const text = (await readDocumentText(document).catch(() => '')).trim();
  const lines = text.split(/\s*[\r\n]\s*/);
  const [first = ''] = lines;
  // A file of another kind has control characters.
  if (lines.length > 3 || !/^[^\p{C}\ufffd]+$/u.test(lines.join(''))) return;
  const isAboutError = errorWords.test(first) && /\s/.test(first);
  const hasOneCell = !/[,;\t|]/.test(lines.join(''));
  // In a sentence, a blank stands behind a comma; between names of columns, seldom.
  const isProse = !/[,;\t|]\S/.test(first);
  if (lines.length === 1 ? !hasOneCell && !(isProse && isAboutError) : !hasOneCell || !isAboutError) return;
  const found = `the server answered with a sentence, and no table: ${excerpt(JSON.stringify(first))}.`;
  const wayOut = `If it is a table, fetch it: catalogue version add ${ref} FILE`;
  throw new ValidationError({ source: [`${document.address}: ${found} ${wayOut}`] });
}
