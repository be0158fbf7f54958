/**
 * Answers of feature servers that say that they are a part of what was asked for: by the number of all features (OGC API, WFS,
 * STAC), by a link to the next page, or by the limit that was exceeded (ArcGIS).
 */
import { ValidationError } from '../catalogue/errors.ts';
import { documentBytes, type OpenDocument } from './documents.ts';
import { membersOf } from './imported.ts';
import { readAroundArray } from './json-items.ts';
import { linksWith } from './links.ts';

type Members = Readonly<Record<string, unknown>>;

/** Texts without which no answer says that it is a part. */
const marks = ['"numberMatched"', '"numMatched"', '"totalFeatures"', '"next"', '"exceededTransferLimit"'];
const longestMark = Math.max(...marks.map(({ length }) => length));

/** The number of features that the server has found; 0 if it doesn't say so. WFS also writes "unknown". */
export function matchedOf({ numberMatched, numMatched, totalFeatures, context }: Members): number {
  const given = [numberMatched, numMatched, totalFeatures, membersOf(context).matched];
  return given.map(Number).find((count) => count > 0) ?? 0;
}

const isCutOff = ({ exceededTransferLimit, properties }: Members): boolean =>
  exceededTransferLimit === true || membersOf(properties).exceededTransferLimit === true;

/** The number of features that an address leaves out. */
export function offsetOf(address: string): number {
  const found = [...new URL(address).searchParams].find(([name]) => /^(?:startindex|resultoffset|offset)$/i.test(name));
  return Number(found?.[1]) || 0;
}

/** The parameter for the number of features to leave out: of WFS and ArcGIS, whose answers need no links; null for others. */
export function offsetParameter(address: string): string | null {
  const { searchParams, pathname } = new URL(address);
  const has = (name: RegExp, value: RegExp) => [...searchParams].some((one) => name.test(one[0]) && value.test(one[1]));
  if (has(/^request$/i, /^getfeature$/i)) return 'startIndex';
  return /\/query\/?$/i.test(pathname) && has(/^where$/i, /./) ? 'resultOffset' : null;
}

/**
 * True if an answer says that there are more features than these.
 * @param page its members
 * @param count features of this answer, and of those before it
 * @param first address of the first answer
 */
export function hasMoreFeatures(page: Members, count: number, first: string): boolean {
  const matched = matchedOf(page);
  if (matched) return matched > offsetOf(first) + count;
  return isCutOff(page) || linksWith(page, 'next').length > 0;
}

/** The error for features of which a server gives a part only. @param page the last answer */
export function onlyAPart(address: string, page: Members, count: number): ValidationError {
  const matched = matchedOf(page);
  const given = matched
    ? `${count} of ${matched} features`
    : `${count} feature${count === 1 ? '' : 's'}, and says that there are more`;
  return new ValidationError({ source: [`${address}: the server gave ${given}.`] });
}

/** True for a document with features that says that there are more. */
export async function isPartOfFeatures(document: OpenDocument): Promise<boolean> {
  if (!(await hasMark(document))) return false;
  const found = await readAroundArray(await documentBytes(document), 'features');
  return found !== null && hasMoreFeatures(membersOf(found.value), found.count, document.address);
}

async function hasMark(document: OpenDocument): Promise<boolean> {
  let end = Buffer.alloc(0);
  for await (const chunk of await documentBytes(document)) {
    const bytes = Buffer.concat([end, chunk]);
    if (marks.some((mark) => bytes.includes(mark))) return true;
    end = Buffer.from(bytes.subarray(-longestMark));
  }
  return false;
}
