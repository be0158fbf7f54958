/** The layout of all pages, and the page of a JSON value. No page has scripts. */
import type { Settings } from '../catalogue/types.ts';
import { baseUrlPath } from '../catalogue/urls.ts';

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, for content or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEscapes[character] ?? character);
}

/** The style of every page; the Content-Security-Policy allows no other. */
export const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; color-scheme: light dark }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
.scroll { overflow-x: auto }
table { border-collapse: collapse }
th, td { padding: .2rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid }
`;

/**
 * A whole page.
 * @param title of the page; that of the catalogue follows it
 * @param base base URL of links to this site
 * @param content HTML
 */
export function htmlPage(title: string, settings: Settings, base: string, content: string): string {
  const site = escapeHtml(settings.title);
  const heading = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading === site ? site : `${heading} – ${site}`}</title>
<style>${style}</style>
<header><a href="${escapeHtml(base)}/api/v1/">${site}</a></header>
<main>
<h1>${heading}</h1>
${content}
</main>
</html>
`;
}

/**
 * A page that shows a JSON value, its links made clickable.
 * @param targets addresses that links lead to in place of those shown
 */
export function jsonPage(
  title: string,
  settings: Settings,
  value: unknown,
  base: string,
  targets: ReadonlyMap<string, string> = new Map(),
): string {
  return htmlPage(title, settings, base, `<pre>${linked(JSON.stringify(value, null, 2), base, targets)}</pre>`);
}

/** JSON as HTML: strings that are addresses of this site become links; those of images have no host. */
function linked(json: string, base: string, targets: ReadonlyMap<string, string>): string {
  const site = escapeHtml(base);
  const prefix = escapeHtml(baseUrlPath(base));
  return escapeHtml(json).replace(/&quot;((?:https?:\/)?\/(?:(?!&quot;)[^\s<>])*)&quot;/g, (whole, url: string) => {
    if (url.startsWith(`${site}/`))
      return `&quot;<a href="${escapeHtml(targets.get(url) ?? '') || url}">${url}</a>&quot;`;
    return url.startsWith(`${prefix}/site_media/`)
      ? `&quot;<a href="${site}${url.slice(prefix.length)}">${url}</a>&quot;`
      : whole;
  });
}
