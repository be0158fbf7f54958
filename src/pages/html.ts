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
