/** JSON for people: indented, coloured by type, and linked. */
import type { VNode } from 'preact';
import { baseUrlPath } from '../catalogue/urls.ts';
import { escapeHtml } from './html.ts';
import { KeptTexts } from './kept-texts.ts';
import type { PageContext } from './page-context.ts';

export interface JsonTextProps {
  readonly context: PageContext;
  readonly text: string;
  /** Address of the whole text. */
  readonly href: string;
  /** Makes other values for people of some, as for `JSON.parse`. */
  readonly reviver?: ((name: string, value: unknown) => unknown) | undefined;
  /** Addresses that links lead to in place of those shown. */
  readonly targets?: ReadonlyMap<string, string> | undefined;
}

/** Characters of a text that is shown whole; of a longer one, those that are shown: colouring more would hold up others. */
const mostWhole = 60_000;
const mostOfLonger = 30_000;

export function JsonText({ context, text, href, reviver, targets }: JsonTextProps): VNode {
  const { locale, base } = context;
  const isWhole = text.length <= mostWhole;
  const coloured = isWhole
    ? colouredJson(JSON.stringify(JSON.parse(text, reviver), null, 2), base, targets)
    : colouredStart(text, href, base, targets);
  return (
    <>
      {!isWhole && (
        <p class="s soft">
          {locale.text('startOfJson', { shown: locale.size(mostOfLonger), size: locale.size(text.length) })}{' '}
          <a href={href}>JSON</a>
        </p>
      )}
      <div class="code">
        <pre class="json" tabIndex={0} role="region" aria-label="JSON" dangerouslySetInnerHTML={{ __html: coloured }} />
      </div>
    </>
  );
}

const starts = new KeptTexts();

/** The start of a long text, coloured; it is kept, since colouring it takes as long as the rest of the page. */
function colouredStart(text: string, href: string, base: string, targets: JsonTextProps['targets']): string {
  const start = text.slice(0, mostOfLonger);
  const known = starts.get(href, [start, base, targets]);
  if (known !== undefined) return known;
  const html = colouredJson(indentedStart(text, mostOfLonger), base, targets);
  starts.set(href, [copyOf(start), base, targets], copyOf(html));
  return html;
}

/** A text that doesn't keep the megabytes alive that it is a part of, as slices do in V8. */
const copyOf = (text: string): string => Buffer.from(text).toString();

const part = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The start of a JSON text, indented as by `JSON.stringify`. It isn't parsed: of megabytes, that takes long. */
export function indentedStart(json: string, most: number): string {
  let text = '';
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of json.slice(0, most).matchAll(part)) {
    if (token === '{' || token === '[') {
      depth++;
      text += token + newLine();
    } else if (token === '}' || token === ']') {
      depth--;
      text += newLine() + token;
    } else if (token === ',') text += token + newLine();
    else if (token === ':') text += ': ';
    else text += /^[{[]/.test(token) ? token.replace(/\s/g, '') : token;
  }
  return `${text} …`;
}

const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

/** JSON as HTML, coloured by type; strings that are addresses of this site become links; those of images have no host. */
function colouredJson(json: string, base: string, targets: ReadonlyMap<string, string> = new Map()): string {
  const media = `${baseUrlPath(base)}/site_media/`;
  let html = '';
  let end = 0;
  for (const match of json.matchAll(token)) {
    const [text, colon] = match;
    html += escapeHtml(json.slice(end, match.index));
    end = match.index + text.length;
    if (colon !== undefined) html += `<b>${escapeHtml(text.slice(0, -colon.length))}</b>${colon}`;
    else if (text.startsWith('"')) html += stringAsHtml(text, base, media, targets);
    else html += `<i class="${/^[-\d]/.test(text) ? 'num' : 'lit'}">${text}</i>`;
  }
  return html + escapeHtml(json.slice(end));
}

function stringAsHtml(json: string, base: string, media: string, targets: ReadonlyMap<string, string>): string {
  const shown = escapeHtml(json);
  const url = json.slice(1, -1);
  const isPlain = !/[\\\s<>]/.test(url);
  if (isPlain && base && url.startsWith(`${base}/`))
    return `&quot;<a href="${escapeHtml(targets.get(url) ?? url)}">${escapeHtml(url)}</a>&quot;`;
  if (isPlain && url.startsWith(media)) return `&quot;<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>&quot;`;
  return `<i class="text">${shown}</i>`;
}
