/** A text in Markdown: its first paragraph, the rest folded. */
import type { VNode } from 'preact';
import type { Locale } from './locale.ts';
import { type MarkdownTexts, renderMarkdown } from './markdown.ts';
import type { PageContext } from './page-context.ts';

/** Texts of the interface in a description. */
export const proseTexts = (locale: Locale): MarkdownTexts => ({
  tableLabel: locale.text('table'),
  codeLabel: locale.text('code'),
});

export function Prose({ context, text }: { readonly context: PageContext; readonly text: string }): VNode | null {
  if (!text.trim()) return null;
  const { locale } = context;
  const { first, rest } = renderMarkdown(text, proseTexts(locale));
  return (
    <div class="prose" dir="auto">
      <Html html={first} />
      {rest &&
        (first ? (
          <details class="more">
            <summary>{locale.text('moreAboutIt')}</summary>
            <Html html={rest} />
          </details>
        ) : (
          <Html html={rest} />
        ))}
    </div>
  );
}

/** HTML that `renderMarkdown` made: nothing else may be given. */
const Html = ({ html }: { readonly html: string }): VNode => <div dangerouslySetInnerHTML={{ __html: html }} />;
