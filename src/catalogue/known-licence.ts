/** Whether a licence is known: SPDX identifiers and expressions (SPDX 3, annex B), and URLs. */
import parseExpression from 'spdx-expression-parse';
import { isHttpUrl } from './urls.ts';

/** SPDX's words for "no licence" and "not known". */
const noLicence: readonly string[] = ['NONE', 'NOASSERTION'];

/** Licences that were found to be known. */
const known = new Set<string>();
/** Most of them: a catalogue has a handful, and texts of others must not fill the memory. */
const maxKnown = 1000;

/** True for an SPDX identifier or expression, `LicenseRef-…`, NONE, NOASSERTION, or a URL. */
export function isKnownLicence(text: string): boolean {
  if (known.has(text)) return true;
  if (!noLicence.includes(text) && !isHttpUrl(text) && !isExpression(text)) return false;
  if (known.size < maxKnown) known.add(text);
  return true;
}

function isExpression(text: string): boolean {
  try {
    parseExpression(text);
    return true;
  } catch {
    return false;
  }
}
