/** Pages of the documentation in Markdown, as HTML: headings have ids as on GitHub, and links lead to the pages of a server. */
import MarkdownIt, { type Token } from 'markdown-it';
import { alignByClass } from './markdown.ts';

export interface Section {
  /** As GitHub makes it: `what-is-refused`. */
  readonly id: string;
  readonly title: string;
}

export interface RenderedDocumentation {
  readonly title: string;
  /** The first sentence, without markup. */
  readonly description: string;
  /** The headings of the second level. */
  readonly sections: readonly Section[];
  readonly html: string;
}

export interface RenderOptions {
  /** Address on the server of a relative address in the text; null if the server doesn't have it. */
  readonly resolve: (address: string) => string | null;
  /** Texts of the button that copies a block of code. */
  readonly copy: string;
  readonly copied: string;
}

const markdown = new MarkdownIt({ html: false });
const { escapeHtml } = markdown.utils;

/** Comments on lines of their own, which tools use as marks. */
const comments = /^<!--.*?-->\n?/gm;

/** The id that GitHub gives to a heading (https://docs.github.com/get-started/writing-on-github, "Section links"). */
export const headingId = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** True for an address within the documentation or the repository: neither absolute nor a part of the same page. */
export const isRelative = (address: string): boolean => !/^(?:[a-z][a-z+.-]*:|\/|#)/i.test(address);

/** The relative addresses of links and pictures in a text in Markdown, and its headings' ids. */
export function linksAndIds(source: string): { readonly links: readonly string[]; readonly ids: ReadonlySet<string> } {
  const tokens = parse(source);
  const links = tokens
    .flatMap(({ children }) => children ?? [])
    .map((token) => token.attrGet('href') ?? token.attrGet('src'))
    .filter((address) => typeof address === 'string');
  return { links, ids: new Set(headingsIn(tokens).map(({ id }) => id)) };
}

const parse = (source: string): Token[] => markdown.parse(source.replace(comments, ''), {});

interface Heading extends Section {
  /** Position of the tokens that open and close it. */
  readonly at: number;
  readonly level: string;
}

function headingsIn(tokens: readonly Token[]): readonly Heading[] {
  const uses = new Map<string, number>();
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return [];
    const title = plainText(tokens[at + 1]);
    const plain = headingId(title);
    const used = uses.get(plain) ?? 0;
    uses.set(plain, used + 1);
    return [{ at, level: token.tag, title, id: used ? `${plain}-${used}` : plain }];
  });
}

const plainText = (inline: Token | undefined): string =>
  (inline?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');

/** A page of the documentation. */
export function renderDocumentationMarkdown(source: string, options: RenderOptions): RenderedDocumentation {
  const tokens = parse(source);
  const headings = headingsIn(tokens);
  const firstParagraph = plainText(tokens[tokens.findIndex(({ type }) => type === 'paragraph_open') + 1]);
  labelTables(tokens);
  for (const { at, id, title, level } of headings) if (level !== 'h1') linkHeading(tokens, at, id, title);
  for (const { children } of tokens) if (children) resolveLinks(children, options);
  wrapCode(tokens, options);
  return {
    title: headings.find(({ level }) => level === 'h1')?.title ?? '',
    description: /^.*?[.!?](?= |$)/.exec(firstParagraph)?.[0] ?? firstParagraph,
    sections: headings.filter(({ level }) => level === 'h2').map(({ id, title }) => ({ id, title })),
    html: markdown.renderer.render(tokens, markdown.options, {}),
  };
}

/** Gives a heading its id, and a link to itself. */
function linkHeading(tokens: Token[], at: number, id: string, title: string): void {
  tokens[at]?.attrSet('id', id);
  const label = escapeHtml(`Link to “${title}”`);
  tokens[at + 1]?.children?.push(htmlToken(` <a class="anchor" href="#${id}" aria-label="${label}">#</a>`));
}

/** Links of the repository lead to the server's addresses; what the server doesn't have stays as text. */
function resolveLinks(children: Token[], { resolve }: RenderOptions): void {
  for (const [i, token] of children.entries()) {
    const name = token.type === 'image' ? 'src' : 'href';
    const address = token.attrGet(name);
    if (typeof address !== 'string' || !isRelative(address)) continue;
    const resolved = resolve(address);
    if (resolved !== null) token.attrSet(name, resolved);
    else if (token.type === 'image') children[i] = htmlToken('');
    else {
      const close = children.findIndex(({ type }, at) => at > i && type === 'link_close');
      children[i] = htmlToken('');
      children[close] = htmlToken('');
    }
  }
}

/** Tables scroll by themselves, by keyboard, too: each is a region with a label of its own. */
function labelTables(tokens: Token[]): void {
  const uses = new Map<string, number>();
  let heading = '';
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') heading = plainText(tokens[i + 1]);
    // A head without text is no head.
    if (token.tag === 'th' && (tokens[i + 1]?.content === '' || tokens[i - 1]?.content === '')) token.tag = 'td';
    alignByClass(token);
    if (token.type === 'table_close') tokens[i] = htmlToken('</table></div>');
    if (token.type !== 'table_open') continue;
    const used = (uses.get(heading) ?? 0) + 1;
    uses.set(heading, used);
    const label = escapeHtml(used > 1 ? `${heading} (${used})` : heading);
    tokens[i] = htmlToken(`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="grid">`);
  }
}

/** Blocks of code scroll by themselves; those without output can be copied. */
function wrapCode(tokens: Token[], { copy, copied }: RenderOptions): void {
  for (const [i, { type, info, content }] of tokens.entries()) {
    if (type !== 'fence' && type !== 'code_block') continue;
    const button = `<button class="btn copy only-js" type="button" data-copy="" data-copied="${escapeHtml(copied)}">${escapeHtml(copy)}</button>`;
    tokens[i] = htmlToken(
      `<div class="code"><pre tabindex="0"><code>${escapeHtml(content)}</code></pre>${info === 'console' ? '' : button}</div>`,
    );
  }
}

function htmlToken(content: string): Token {
  const token = new markdown.core.State('', markdown, {}).Token;
  return Object.assign(new token('html_block', '', 0), { content });
}
