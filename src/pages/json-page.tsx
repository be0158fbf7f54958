/** The API in a browser: an answer readable, coloured and linked, with the request that made it. */
import type { VNode } from 'preact';
import type { Steps } from '../catalogue/steps.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { CodeBlock } from './code-block.tsx';
import { JsonText, type JsonTextProps } from './json-text.tsx';
import { type Crumb, renderPageInSteps } from './layout.tsx';
import { absoluteUrl, hrefOf, hrefWith, type PageContext } from './page-context.ts';

export interface JsonPageParts {
  readonly title: string;
  readonly json: string;
  /** Makes other values for people of some, as for `JSON.parse`. */
  readonly reviver?: JsonTextProps['reviver'];
  /** Addresses that links lead to in place of those shown. */
  readonly targets?: JsonTextProps['targets'];
  /** Value of `Allow`. */
  readonly allow: string;
  /** True if there is a page for people at this address, too. */
  readonly hasPage: boolean;
  /** Addresses of the pages before and after this one. */
  readonly next?: string | null;
  readonly previous?: string | null;
}

export function renderJsonPage(context: PageContext, parts: JsonPageParts): Steps<string> {
  const { locale } = context;
  const { title, allow, hasPage } = parts;
  const json = hrefWith(context, { format: 'json', _format: null });
  const subject = subjectOf(context);
  const pageParts = {
    title: subject ? `${title} (${subject})` : title,
    section: 'api',
    isHidden: true,
    crumbs: apiCrumbs(context),
  } as const;
  return renderPageInSteps(context, pageParts, [
    <h1 key="title">{title}</h1>,
    <p key="address" class="row">
      <span class="type">GET</span>
      <code>{decodedPath(context)}</code>
    </p>,
    <Paging key="before" context={context} {...parts} isRepeated />,
    <JsonText
      key="json"
      context={context}
      href={json}
      text={parts.json}
      reviver={parts.reviver}
      targets={parts.targets}
    />,
    <Paging key="after" context={context} {...parts} />,
    <section key="request" class="api-request" aria-labelledby="request">
      <h2 id="request">{locale.text('request')}</h2>
      <CodeBlock
        context={context}
        label="curl"
        code={`curl -H 'Accept: application/json' '${absoluteUrl(context, hrefWithoutPrefix(context))}'`}
      />
      <p class="s soft">
        {locale.text('allowedMethods', { methods: allow })}{' '}
        {context.username === null && / (POST|PUT|PATCH|DELETE)/.test(` ${allow}`) && locale.text('logInToWrite')}
      </p>
      <p class="s dots">
        <a href={json}>JSON</a>
        {hasPage && <a href={hrefWith(context, { format: null, _format: null })}>{locale.text('page')}</a>}
      </p>
    </section>,
  ]);
}

/** Path and parameters without those of the format, encoded for a shell. */
const hrefWithoutPrefix = (context: PageContext): string =>
  hrefWith({ ...context, base: '' }, { format: null, _format: null }).replaceAll("'", '%27');

function decodedPath(context: PageContext): string {
  const path = hrefWithoutPrefix(context);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The dataset or version below which the address is: `parks/trees@latest`; undefined for others. */
function subjectOf({ path }: PageContext): string | undefined {
  const [, namespace, dataset, version] =
    /^\/api\/v1\/namespaces\/([^/]+)\/datasets\/([^/]+)\/(?:version\/([^/]+))?/.exec(path) ?? [];
  return dataset && `${namespace}/${dataset}${version ? `@${version}` : ''}`;
}

/** Paths that only others begin with. */
const hasNoPage = (path: string): boolean =>
  path === `${apiRoot}auth/` || /\/datasets\/[^/]+\/columns\/$|^\/iceberg\//.test(path);

/** Breadcrumbs of an address of the API: a link for each part of its path that has a page. */
function apiCrumbs(context: PageContext): readonly Crumb[] {
  const parts = context.path.split('/').filter(Boolean);
  const isApi = context.path.startsWith(apiRoot);
  return parts.slice(isApi ? 1 : 0).map((part, i, all) => {
    const path = `/${parts.slice(0, i + (isApi ? 2 : 1)).join('/')}/`;
    const text = i === 0 && isApi ? 'API' : decodedSegment(part);
    return i === all.length - 1 || hasNoPage(path)
      ? { text }
      : { text, href: hrefOf(context, `${path}${i === 0 && isApi ? '' : '?format=api'}`) };
  });
}

/** A segment of a path without percent-encoding; as it is if that is broken. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

interface PagingProps extends Pick<JsonPageParts, 'next' | 'previous'> {
  readonly context: PageContext;
  /** True if the same links come again: only one of them is a landmark, since nobody can distinguish two of the same name. */
  readonly isRepeated?: boolean;
}

/** Links to the parts before and after the one that is shown. */
export function Paging({ context, next, previous, isRepeated = false }: PagingProps): VNode | null {
  if (!next && !previous) return null;
  const { locale } = context;
  const links = [
    previous ? <a href={previous}>{locale.text('previousPage')}</a> : <span />,
    next ? <a href={next}>{locale.text('nextPage')}</a> : <span />,
  ];
  return isRepeated ? (
    <div class="pager">{links}</div>
  ) : (
    <nav class="pager" aria-label={locale.text('pages')}>
      {links}
    </nav>
  );
}
