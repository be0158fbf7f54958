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
