/** Texts of sources: descriptions in HTML as Markdown, and labels as plain text. */
import { Parser } from 'htmlparser2';

/** Elements that HTML descriptions have; a text without any of them is Markdown or plain, and stays as it is. */
const knownElement =
  /<\/?(?:p|br|div|span|a|ul|ol|li|b|i|u|em|strong|h[1-6]|table|tr|td|th|font|img|sup|sub|blockquote|pre|code|hr|script|style|center|section|article|iframe)\b[^<>]*\/?>/i;
/** Elements that end a line: of a text with them, white space is that of HTML. Without them, it is Markdown or plain. */
const breakingElement =
  /<\/?(?:p|br|div|ul|ol|li|h[1-6]|table|tr|td|th|blockquote|pre|hr|center|section|article)\b[^<>]*\/?>/i;
const entity = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/i;

/** Elements whose texts are not shown. */
const hiddenElements = ['script', 'style', 'head', 'template', 'noscript', 'iframe', 'object'];
const blocks = ['p', 'div', 'section', 'article', 'table', 'ul', 'ol', 'blockquote', 'pre', 'center', 'dl'];

/** A description without its HTML: paragraphs, lists, emphasis and links as Markdown. Scripts and pictures are left out. */
export function markdownFromHtml(text: string): string {
  const normal = withoutControls(text);
  if (!knownElement.test(normal) && !entity.test(normal)) return normal.trim();
  return breakingElement.test(normal) ? tidy(convert(normal, true)) : convert(normal, true, true).trim();
}

/** A label on one line, without HTML. */
export function plainText(text: string): string {
  const normal = withoutControls(text);
  const plain = knownElement.test(normal) || entity.test(normal) ? convert(normal, false) : normal;
  return plain.replace(/\s+/g, ' ').trim();
}

/** @param keepsLines true to keep white space as it is */
function convert(html: string, withMarks: boolean, keepsLines = false): string {
  const converter = new HtmlConverter(withMarks, keepsLines);
  const parser = new Parser(converter, { decodeEntities: true, lowerCaseTags: true });
  parser.write(html);
  parser.end();
  return converter.text;
}

/** Marks of emphasis in Markdown by element. */
const emphasisMarks: ReadonlyMap<string, string> = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
]);

const isHeading = (name: string): boolean => /^h[1-6]$/.test(name);

/** Handler of the parser's events, which writes the text. */
class HtmlConverter {
  text = '';
  readonly #withMarks: boolean;
  readonly #keepsLines: boolean;
  /** Number of the open elements whose texts are not shown. */
  #hidden = 0;
  /** Indexes in the text at which the open emphases begin. */
  readonly #emphases: number[] = [];
  readonly #links: { readonly href: string; readonly at: number }[] = [];
  readonly #lists: { readonly isOrdered: boolean; count: number }[] = [];

  constructor(withMarks: boolean, keepsLines: boolean) {
    this.#withMarks = withMarks;
    this.#keepsLines = keepsLines;
  }

  onopentag(name: string, { href = '' }: Readonly<Record<string, string>>): void {
    if (hiddenElements.includes(name)) this.#hidden++;
    if (this.#hidden) return;
    this.text += this.#breakBefore(name);
    const mark = emphasisMarks.get(name);
    if (mark) this.#openEmphasis(mark);
    if (name === 'ul' || name === 'ol') this.#lists.push({ isOrdered: name === 'ol', count: 0 });
    if (name === 'li') this.#openItem();
    if (name === 'a') this.#links.push({ href, at: this.text.length });
  }

  ontext(text: string): void {
    if (this.#hidden) return;
    this.text += this.#keepsLines ? text.replaceAll('\u00a0', ' ') : text.replace(/\s+/g, ' ');
  }

  onclosetag(name: string): void {
    if (hiddenElements.includes(name)) this.#hidden = Math.max(0, this.#hidden - 1);
    if (this.#hidden) return;
    const mark = emphasisMarks.get(name);
    if (mark) this.#closeEmphasis(mark);
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (blocks.includes(name) || isHeading(name)) this.text += this.#lists.length ? '\n' : '\n\n';
    if (name === 'a') this.#closeLink();
  }

  /** White space, and the mark of a heading, before the content of an element. */
  #breakBefore(name: string): string {
    if (name === 'br') return this.#withMarks && !/\n\s*$/.test(this.text) ? '  \n' : '\n';
    if (blocks.includes(name)) return this.#lists.length ? '\n' : '\n\n';
    if (isHeading(name)) return this.#withMarks ? `\n\n${'#'.repeat(Number(name[1]))} ` : '\n\n';
    if (name === 'tr' || name === 'dt' || name === 'dd') return '\n';
    return name === 'td' || name === 'th' ? ' ' : '';
  }

  #openItem(): void {
    const list = this.#lists.at(-1);
    if (list) list.count++;
    const indent = '  '.repeat(Math.max(0, this.#lists.length - 1));
    this.text += `\n${indent}${list?.isOrdered ? `${list.count}.` : '-'} `;
  }

  #openEmphasis(mark: string): void {
    this.#emphases.push(this.text.length);
    if (this.#withMarks) this.text += mark;
  }

  /** Closes an emphasis; one without text loses its mark. */
  #closeEmphasis(mark: string): void {
    const at = this.#emphases.pop() ?? 0;
    if (!this.#withMarks) return;
    const content = this.text.slice(at + mark.length);
    this.text = content.trim() ? this.text + mark : this.text.slice(0, at) + content;
  }

  /** Closes a link; one without a usable address stays as its text. */
  #closeLink(): void {
    const link = this.#links.pop();
    if (!link || !this.#withMarks || !/^(?:https?:|mailto:)/i.test(link.href)) return;
    const label = this.text.slice(link.at).trim();
    if (!label) return;
    const target = link.href.replace(/[\s()<>]/g, (one) => encodeURIComponent(one));
    const written = label === link.href ? label : `[${label.replace(/[[\]]/g, '')}](${target})`;
    this.text = this.text.slice(0, link.at) + written;
  }
}

/** Text without blanks at the ends of lines, and more than one empty line. */
const tidy = (text: string) =>
  text
    .replace(/\u00a0/g, ' ')
    .replace(/^ +(?=[^\s-])/gm, '')
    .replace(/[ \t]+\n/g, (blanks) => (blanks === '  \n' ? blanks : '\n'))
    .replace(/(?:[ \t]*\n){3,}/g, '\n\n')
    .trim();

/** Text with LF line breaks, and without the control characters that a record can't have. */
const withoutControls = (text: string) =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufeff]/g, '');
