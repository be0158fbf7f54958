/** The page at the address of a payload in a static export: it leads to the file, which has a name. */
import { renderPage } from './layout.tsx';
import type { PageContext } from './page-context.ts';

export function renderDownloadPage(
  context: PageContext,
  { name, href }: { readonly name: string; readonly href: string },
): string {
  return renderPage(context, {
    title: name,
    section: 'datasets',
    isHidden: true,
    json: null,
    children: (
      <>
        <h1 dir="auto">{name}</h1>
        <p>
          <a class="btn main" href={href} download>
            {context.locale.text('download', { format: name })}
          </a>
        </p>
      </>
    ),
  });
}
