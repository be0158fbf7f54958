/** The part "Use it": lines to copy, by tool. Radio buttons choose the tool, without script. */
import type { VNode } from 'preact';
import { documentationRoot } from '../catalogue/urls.ts';
import { CodeBlock } from './code-block.tsx';
import { hrefOf, type PageContext } from './page-context.ts';
import { excelAddress, makeSnippets, type RowsSource, type Snippet } from './snippets.ts';

export function UseIt({ context, source }: { readonly context: PageContext; readonly source: RowsSource }): VNode {
  const { locale } = context;
  const { textColumns, isPrivate } = source;
  const snippets = makeSnippets(source).filter(({ tool }) => !(isPrivate && tool === 'embed'));
  const titleOf = (tool: Snippet['tool'], title: string) =>
    title || locale.text(tool === 'embed' ? 'toolEmbed' : 'toolCli');
  const panels = [
    ...snippets.map(({ tool, title, blocks }) => ({
      tool,
      title: titleOf(tool, title),
      content: (
        <>
          {tool === 'embed' && <p>{locale.text('embedHow')}</p>}
          {blocks.map((code, i) => (
            <CodeBlock
              key={code}
              context={context}
              label={`${titleOf(tool, title)}${blocks.length > 1 ? ` ${i + 1}` : ''}`}
              code={code}
            />
          ))}
          {(tool === 'python' || tool === 'r') && textColumns.length > 0 && (
            <p>{locale.text('textsLikeNumbers', { count: textColumns.length, names: locale.list(textColumns) })}</p>
          )}
        </>
      ),
    })),
    {
      tool: 'excel',
      title: 'Excel',
      content: (
        <>
          <p>{locale.text('excelHow')}</p>
          <p>
            <a class="btn" href={excelAddress(source)}>
              {locale.text('excelFile')}
            </a>
          </p>
        </>
      ),
    },
  ];
  return (
    <div class="use">
      {isPrivate && (
        <p class="note warn">
          {locale.fill('needsToken', {
            header: <code>Authorization: Token …</code>,
            link: <a href={hrefOf(context, `${documentationRoot}accounts/`)}>Accounts and permissions</a>,
          })}
        </p>
      )}
      <fieldset class="names">
        <legend class="vh">{locale.text('tool')}</legend>
        {panels.map(({ tool, title }, i) => (
          <label key={tool}>
            <input type="radio" name="tool" id={`u-${tool}`} value={tool} checked={i === 0} data-remember="tool" />
            {title}
          </label>
        ))}
      </fieldset>
      {panels.map(({ tool, content }) => (
        <div key={tool} class={`panel p-${tool}`}>
          {content}
        </div>
      ))}
    </div>
  );
}
