/** Lines to copy. */
import type { VNode } from 'preact';
import type { PageContext } from './page-context.ts';

export interface CodeBlockProps {
  readonly context: PageContext;
  /** Language or tool, for readers of screens. */
  readonly label: string;
  readonly code: string;
  /** True to break long lines instead of scrolling. */
  readonly wraps?: boolean;
}

export function CodeBlock({ context, label, code, wraps }: CodeBlockProps): VNode {
  return (
    <div class={wraps ? 'code wrap' : 'code'}>
      <pre tabIndex={wraps ? undefined : 0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
      <button class="btn copy only-js" type="button" data-copy="" data-copied={context.locale.text('copied')}>
        {context.locale.text('copy')}
      </button>
    </div>
  );
}
