/** Text in XML 1.0. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML 1.0 doesn't have (section 2.2), even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be removed
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text for the content of an element or attribute; characters that XML can't have are left out. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(notInXml, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
