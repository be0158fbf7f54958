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
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  const link = tokens[index] as Token;
  if (!hasRoomForAddress(link, stateOf(env))) link.attrs = [];
  link.attrSet('rel', 'nofollow ugc');
  stateOf(env).isInLink = true;
  return self.renderToken(tokens, index, options);
};
markdown.renderer.rules.link_close = (_tokens, _index, _options, env) => {
  stateOf(env).isInLink = false;
  return '</a>';
};
markdown.renderer.rules.image = (tokens, index, _options, env) => {
  const image = tokens[index] as Token;
  const source = String(image.attrGet('src') ?? '');
  const { escapeHtml } = markdown.utils;
  const hasRoom = hasRoomForAddress(image, stateOf(env));
  const text = escapeHtml(image.content || (hasRoom ? source : ''));
  // A picture in a link, such as a badge, is the text of that link: none may stand in another.
  return stateOf(env).isInLink || !hasRoom ? text : `<a href="${escapeHtml(source)}" rel="nofollow ugc">${text}</a>`;
};
// Tables scroll by themselves.
markdown.renderer.rules.table_open = (_tokens, _index, _options, texts) => {
  const label = markdown.utils.escapeHtml(String(texts?.tableLabel ?? ''));
  return `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>`;
};
markdown.renderer.rules.table_close = () => '</table></div>';

/** Most cells of a table. A short row gets all of its cells, so few lines can make a table that takes long. */
const maxTableCells = 10_000;

// What would be a larger table is shown line by line, as code.
markdown.block.ruler.before('table', 'large_table', (state, start, end, isSilent) => {
  const lineAt = (line: number) => state.src.slice(state.bMarks[line], state.eMarks[line]);
  if (start + 1 >= end || !lineAt(start).includes('|')) return false;
  const delimiters = lineAt(start + 1);
  if (!delimiters.includes('|') || !/^[\s|:-]+$/.test(delimiters)) return false;
  let last = start + 2;
  while (last < end && lineAt(last).trim() !== '') last++;
  if ((last - start) * delimiters.split('|').length <= maxTableCells) return false;
  if (isSilent) return true;
  const token = state.push('code_block', 'code', 0);
  token.content = state.getLines(start, last, state.blkIndent, true);
  token.map = [start, last];
  state.line = last;
  return true;
});

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

/** Characters of all addresses and titles in a text. One that is defined once (`[a]: https://…`) may be used ten thousand times. */
const maxAddresses = 300_000;

/** True if the address and the title of a link or picture still fit into the text that is rendered. */
function hasRoomForAddress({ attrs }: Token, state: RenderState): boolean {
  for (const [, value] of attrs ?? []) state.roomForAddresses -= String(value).length;
  return state.roomForAddresses >= 0;
}

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

/** What rules of the renderer get, for one text. */
interface RenderState extends MarkdownTexts {
  /** Characters that further addresses and titles may have. */
  roomForAddresses: number;
  isInLink: boolean;
}

const stateOf = (env: unknown) => env as RenderState;

export interface RenderedText {
  /** HTML of the first paragraph, with headings before it; '' if the text begins with something else. */
  readonly first: string;
  /** HTML of the rest. */
  readonly rest: string;
}

/** Limits of each cache of texts: their number, and their characters. */
const cacheLimits = { max: 5000, maxSize: 8_000_000 } as const;

function sizeOfEntry(made: string, key: string): number {
  return made.length + key.length + 100;
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

/**
 * Texts in Markdown as HTML, by text and language. Pages of one dataset are many, by their queries and languages; and one text of
 * thousands of brackets takes a second.
 */
const renderedTexts = new LRUCache<string, RenderedText>({
  ...cacheLimits,
  sizeCalculation: ({ first, rest }, key) => first.length + rest.length + key.length + 100,
});

const renderedKey = (text: string, { tableLabel, codeLabel }: MarkdownTexts): string =>
  [tableLabel, codeLabel, text.slice(0, maxLength)].join('\n');

/** Length from which a text may take tens of milliseconds, such as a list of thousands of items. */
const longText = 5000;

/** True if rendering the text may take long. */
export const takesLong = (text: string, texts: MarkdownTexts): boolean =>
  text.length >= longText && !renderedTexts.has(renderedKey(text, texts));

/** Keeps a text that was rendered in another thread. */
export function keepRendered(text: string, texts: MarkdownTexts, rendered: RenderedText): void {
  renderedTexts.set(renderedKey(text, texts), rendered);
}

/** A text in Markdown as HTML, its first paragraph apart. */
export function renderMarkdown(text: string, texts: MarkdownTexts): RenderedText {
  const key = renderedKey(text, texts);
  let rendered = renderedTexts.get(key);
  if (rendered === undefined) {
    rendered = renderAnew(text, texts);
    renderedTexts.set(key, rendered);
  }
  return rendered;
}

function renderAnew(text: string, texts: MarkdownTexts): RenderedText {
  const tokens = markdown.parse(withShortLead(text.slice(0, maxLength)), {});
  const beginning = tokens.findIndex(({ type, level }) => level === 0 && !type.startsWith('heading'));
  const end = tokens[beginning]?.type === 'paragraph_open' ? beginning + 3 : 0;
  const state = { ...texts, roomForAddresses: maxAddresses, isInLink: false } satisfies RenderState;
  const render = (part: Token[]) => markdown.renderer.render(part, markdown.options, state);
  return { first: render(tokens.slice(0, end)), rest: render(tokens.slice(end)) };
}

/** First paragraphs by text and length: lists show the same ones again and again. */
const firstParagraphs = new LRUCache<string, string>({ ...cacheLimits, sizeCalculation: sizeOfEntry });

/** The first paragraph of prose in a text in Markdown, without markup; of one without prose, its beginning. @param most characters */
export function firstParagraph(text: string, most = 300): string {
  const key = `${most} ${text.slice(0, 20 * most)}`;
  let paragraph = firstParagraphs.get(key);
  if (paragraph === undefined) {
    paragraph = readFirstParagraph(text, most);
    firstParagraphs.set(key, paragraph);
  }
  return paragraph;
}

/** Texts without markup, by text: a search may find the same ones again and again. */
const plainTexts = new LRUCache<string, string>({ ...cacheLimits, sizeCalculation: sizeOfEntry });

/** The text without markup, in one line. */
export function plainText(text: string): string {
  const key = text.slice(0, maxLength);
  let plain = plainTexts.get(key);
  if (plain === undefined) {
    plain = readPlainText(text);
    plainTexts.set(key, plain);
  }
  return plain;
}

function readPlainText(text: string): string {
  const inline = markdown.parse(text.slice(0, maxLength), {}).filter(({ type }) => type === 'inline');
  const paragraphs = inline.map(({ children }) => (children ?? []).map(textOfToken).join(''));
  return paragraphs.join(' ').replace(/\s+/g, ' ').trim();
}

function readFirstParagraph(text: string, most: number): string {
  const tokens = markdown.parse(withShortLead(text.slice(0, 20 * most)), {});
  const inline = tokens.find(isProse) ?? tokens.find(({ type }) => type === 'inline');
  const plain = (inline?.children ?? []).map(textOfToken).join('').replace(/\s+/g, ' ').trim();
  return plain.length > most ? `${beginningOf(plain, most).replace(/\s+\S*$/, '')}…` : plain;
}

/** True for the content of a paragraph, also in a list, that is more than pictures, such as badges. */
function isProse({ type, children }: Token, index: number, tokens: readonly Token[]): boolean {
  if (type !== 'inline' || tokens[index - 1]?.type !== 'paragraph_open') return false;
  return (children ?? []).some((child) => child.type !== 'image' && textOfToken(child).trim() !== '');
}

function textOfToken({ type, content }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return ' ';
  return content;
}
