/** A first look at a payload that has no rows. */
import type { VNode } from 'preact';
import { shorten } from '../catalogue/beginning.ts';
import { hrefOf, type PageContext } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';

export interface ZipMember {
  readonly path: string;
  /** In bytes, unpacked; null if it isn't known. */
  readonly size: number | null;
}

export type FilePreview =
  | { readonly kind: 'picture' }
  | { readonly kind: 'text'; readonly lines: readonly string[]; readonly isCut: boolean }
  | { readonly kind: 'zip'; readonly members: readonly ZipMember[]; readonly count: number };

interface Props {
  readonly context: PageContext;
  readonly preview: FilePreview;
  /** Path of the payload. */
  readonly path: string;
  readonly label: string;
}

/** Longest line that is shown. */
const longestLine = 300;

export function FileLook({ context, preview, path, label }: Props): VNode {
  const { locale } = context;
  if (preview.kind === 'picture')
    return <img class="file-picture" src={hrefOf(context, path)} alt={label} loading="lazy" />;
  if (preview.kind === 'text') {
    const { lines, isCut } = preview;
    const text = lines.map((line) => shorten(line, longestLine));
    return (
      <>
        <div class="code">
          <pre
            tabIndex={0}
            role="region"
            aria-label={locale.text(isCut ? 'firstLines' : 'linesOfFile', { count: lines.length })}
          >
            <code>{text.join('\n')}</code>
          </pre>
        </div>
        {isCut && <p class="s soft">{locale.text('firstLines', { count: lines.length })}</p>}
      </>
    );
  }
  const { members, count } = preview;
  return (
    <>
      <ScrollBox label={locale.text('filesInZip', { count })}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">{locale.text('filesInZip', { count })}</th>
              <th scope="col" class="num">
                {locale.text('size')}
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member, i) => (
              <tr key={i}>
                <td dir="auto">{shorten(member.path, longestLine)}</td>
                <td class="num">{member.size === null ? '' : locale.size(member.size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {members.length < count && <p class="s soft">{locale.text('moreValues', { count: count - members.length })}</p>}
    </>
  );
}
