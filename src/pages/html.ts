/** HTML that is written as text, where elements would be too many. */

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, for content or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => htmlEscapes[character] ?? character);

/** A value as JSON that can't end the script that it is in (HTML Standard, section 4.12.1.3). */
export const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** Control characters that HTML may not hold (HTML Standard, section 13.2.3.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** The text with a mark in place of each character that HTML may not hold. */
export const replaceForbidden = (text: string): string => text.replace(forbidden, '\ufffd');
