/** The plain page: what a resource or an error is, for people, without any script. */
import type { Settings } from '../catalogue/types.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML, in content or between quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * A page that shows a JSON value, its links made clickable.
 * @param title of the page, before the catalogue's own
 * @param value what is shown
 * @param base what the links of this site begin with
 */
export function plainPage(title: string, settings: Settings, value: unknown, base: string): string {
  const site = escapeHtml(settings.title);
  const heading = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} – ${site}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; color-scheme: light dark }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<header><a href="${escapeHtml(base)}/api/v1/">${site}</a></header>
<main>
<h1>${heading}</h1>
<pre>${linked(JSON.stringify(value, null, 2), base)}</pre>
</main>
</html>
`;
}

/** JSON text as HTML, in which the strings that are addresses of this site are links. */
function linked(json: string, base: string): string {
  return escapeHtml(json).replace(/&quot;((?:https?:\/)?\/(?:(?!&quot;)[^\s<>])*)&quot;/g, (whole, url: string) =>
    url.startsWith(`${escapeHtml(base)}/`) ? `&quot;<a href="${url}">${url}</a>&quot;` : whole,
  );
}
