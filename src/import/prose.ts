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
  let out = '';
  let hidden = 0;
  /** Where the emphasis that is open begins. */
  const emphases: number[] = [];
  const links: { readonly href: string; readonly at: number }[] = [];
  const lists: { isOrdered: boolean; count: number }[] = [];
  const begin = (mark: string) => {
    emphases.push(out.length);
    if (withMarks) out += mark;
  };
  const end = (mark: string) => {
    const at = emphases.pop() ?? 0;
    if (!withMarks) return;
    const content = out.slice(at + mark.length);
    out = content.trim() ? out + mark : out.slice(0, at) + content;
  };
  const parser = new Parser(
    {
      onopentag(name, { href = '' }) {
        if (hiddenElements.includes(name)) hidden++;
        if (hidden) return;
        if (name === 'br') out += withMarks && !/\n\s*$/.test(out) ? '  \n' : '\n';
        else if (blocks.includes(name)) out += lists.length ? '\n' : '\n\n';
        else if (/^h[1-6]$/.test(name)) out += withMarks ? `\n\n${'#'.repeat(Number(name[1]))} ` : '\n\n';
        else if (name === 'tr' || name === 'dt' || name === 'dd') out += '\n';
        else if (name === 'td' || name === 'th') out += ' ';
        else if (name === 'strong' || name === 'b') begin('**');
        else if (name === 'em' || name === 'i') begin('*');
        if (name === 'ul' || name === 'ol') lists.push({ isOrdered: name === 'ol', count: 0 });
        if (name === 'li') {
          const list = lists.at(-1);
          if (list) list.count++;
          out += `\n${'  '.repeat(Math.max(0, lists.length - 1))}${list?.isOrdered ? `${list.count}.` : '-'} `;
        }
        if (name === 'a') links.push({ href, at: out.length });
      },
      ontext(text) {
        if (!hidden) out += keepsLines ? text.replaceAll('\u00a0', ' ') : text.replace(/\s+/g, ' ');
      },
      onclosetag(name) {
        if (hiddenElements.includes(name)) hidden = Math.max(0, hidden - 1);
        if (hidden) return;
        if (name === 'strong' || name === 'b') end('**');
        else if (name === 'em' || name === 'i') end('*');
        if (name === 'ul' || name === 'ol') lists.pop();
        if (blocks.includes(name) || /^h[1-6]$/.test(name)) out += lists.length ? '\n' : '\n\n';
        if (name !== 'a') return;
        const link = links.pop();
        if (!link || !withMarks || !/^(?:https?:|mailto:)/i.test(link.href)) return;
        const label = out.slice(link.at).trim();
        const target = link.href.replace(/[\s()<>]/g, (one) => encodeURIComponent(one));
        if (label)
          out = `${out.slice(0, link.at)}${label === link.href ? label : `[${label.replace(/[[\]]/g, '')}](${target})`}`;
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.write(html);
  parser.end();
  return out;
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
