/** Descriptions in Markdown, as HTML and as plain text. Markup of their own is text; pictures become links. */
import { LRUCache } from 'lru-cache';
import MarkdownIt, { type Token } from 'markdown-it';
import { beginningOf } from '../catalogue/beginning.ts';

/** Addresses that a link may lead to. */
const allowedLink = /^(?:https?:|mailto:)/i;

const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.validateLink = (url) => allowedLink.test(url.trim());
// Headings in a description stand below those of the page.
markdown.renderer.rules.heading_open = () => '<p><strong>';
markdown.renderer.rules.heading_close = () => '</strong></p>\n';
markdown.renderer.rules.link_open = (tokens, index, options, _, self) => {
  tokens[index]?.attrSet('rel', 'nofollow ugc');
  return self.renderToken(tokens, index, options);
};
markdown.renderer.rules.image = (tokens, index) => {
  const image = tokens[index] as Token;
  const source = String(image.attrGet('src') ?? '');
  const { escapeHtml } = markdown.utils;
  const text = escapeHtml(image.content || source);
  // A picture in a link, such as a badge, is the text of that link: none may stand in another.
  const isInLink = tokens.findLast(({ type }, i) => i < index && type.startsWith('link_'))?.type === 'link_open';
  return isInLink ? text : `<a href="${escapeHtml(source)}" rel="nofollow ugc">${text}</a>`;
};
// Tables scroll by themselves.
markdown.renderer.rules.table_open = (_tokens, _index, _options, texts) => {
  const label = markdown.utils.escapeHtml(String(texts?.tableLabel ?? ''));
  return `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>`;
};
markdown.renderer.rules.table_close = () => '</table></div>';
for (const name of ['th_open', 'td_open'])
  markdown.renderer.rules[name] = (tokens, index, options, _, self) => {
    alignByClass(tokens[index] as Token);
    return self.renderToken(tokens, index, options);
  };
// So do blocks of code.
markdown.renderer.rules.fence = (tokens, index, _options, texts) => {
  const { escapeHtml } = markdown.utils;
  const label = escapeHtml(String(texts?.codeLabel ?? ''));
  const code = escapeHtml((tokens[index] as Token).content);
  return `<div class="code" dir="ltr"><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>\n`;
};
markdown.renderer.rules.code_block = markdown.renderer.rules.fence;

/** Aligns the cells of a column to the right by a class: the policy of pages admits no style in an attribute. */
export function alignByClass(cell: Token): void {
  const style = cell.attrIndex('style');
  if (style >= 0) cell.attrs?.splice(style, 1, ['class', /right/.test(String(cell.attrGet('style'))) ? 'num' : '']);
}

/** Texts of the interface in a description, in the language of the page. */
export interface MarkdownTexts {
  /** Name of a table. */
  readonly tableLabel: string;
  /** Name of a block of code. */
  readonly codeLabel: string;
}

export interface RenderedText {
  /** HTML of the first paragraph; '' if the text begins with something else. */
  readonly first: string;
  /** HTML of the rest. */
  readonly rest: string;
}

/** Longest text that is read as Markdown, in characters; of a longer one, the beginning. */
const maxLength = 100_000;

/** Length from which a first paragraph is long, in characters. */
const longLead = 200;

/** The text, its first line a paragraph of its own if it is a sentence and the paragraph is long: people write a sentence a line. */
function withShortLead(text: string): string {
  const [lead = ''] = text.split(/\n\s*\n/, 1);
  const end = text.indexOf('\n', text.length - text.trimStart().length);
  if (lead.length <= longLead || end === -1 || !/^\S/.test(text.slice(end + 1, end + 2))) return text;
  const line = text.slice(0, end).trimEnd();
  return /[.!?…]["')]*$/.test(line) ? `${line}\n\n${text.slice(end + 1)}` : text;
}

/** A text in Markdown as HTML, its first paragraph apart. */
export function renderMarkdown(text: string, texts: MarkdownTexts): RenderedText {
  const tokens = markdown.parse(withShortLead(text.slice(0, maxLength)), {});
  const end = tokens[0]?.type === 'paragraph_open' ? tokens.findIndex(({ type }) => type === 'paragraph_close') + 1 : 0;
  const render = (part: Token[]) => markdown.renderer.render(part, markdown.options, { ...texts });
  return { first: render(tokens.slice(0, end)), rest: render(tokens.slice(end)) };
}

/** First paragraphs by text and length: lists show the same ones again and again. */
const firstParagraphs = new LRUCache<string, string>({ max: 5000, maxSize: 8_000_000, sizeCalculation: sizeOfEntry });

function sizeOfEntry(paragraph: string, key: string): number {
  return paragraph.length + key.length + 100;
}

/** The first paragraph of a text in Markdown, without markup. @param most characters */
export function firstParagraph(text: string, most = 300): string {
  const key = `${most} ${text.slice(0, 20 * most)}`;
  let paragraph = firstParagraphs.get(key);
  if (paragraph === undefined) {
    paragraph = readFirstParagraph(text, most);
    firstParagraphs.set(key, paragraph);
  }
  return paragraph;
}

/** The text without markup, in one line. */
export function plainText(text: string): string {
  const inline = markdown.parse(text.slice(0, maxLength), {}).filter(({ type }) => type === 'inline');
  const paragraphs = inline.map(({ children }) => (children ?? []).map(textOfToken).join(''));
  return paragraphs.join(' ').replace(/\s+/g, ' ').trim();
}

function readFirstParagraph(text: string, most: number): string {
  const tokens = markdown.parse(withShortLead(text.slice(0, 20 * most)), {});
  const inline = tokens.find(({ type }) => type === 'inline');
  const plain = (inline?.children ?? []).map(textOfToken).join('').replace(/\s+/g, ' ').trim();
  return plain.length > most ? `${beginningOf(plain, most).replace(/\s+\S*$/, '')}…` : plain;
}

function textOfToken({ type, content }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return ' ';
  return content;
}
