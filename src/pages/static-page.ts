/**
 * Pages that become files. Where a page is rendered for a static export, links that only a server answers lose their address, forms
 * that only a server reads are left out, and addresses of another format become those of files. Links to rows that the browser
 * filters have their address in `data-rows`, from where the script of the pages takes it; forms of such rows are shown with script
 * only. One rule for all pages: it works on the elements before they are rendered.
 */
import { Fragment, options, type VNode } from 'preact';
import { apiRoot, baseUrlPath, collections } from '../catalogue/urls.ts';
import type { PageContext } from './page-context.ts';

type Props = Record<string, unknown>;

/** Parameters that name a format, by the name of the file with it. */
const formatFiles: Readonly<Record<string, string>> = {
  'format=json': 'index.json',
  '_format=json': 'index.json',
  'f=json': 'index.json',
  'format=html': '',
  'format=api': '',
  'f=html': '',
};

/** Paths, without the prefix of the site, that are never exported. */
const neverExported = new RegExp(
  `^/(auth|account)/|/history/$|^${apiRoot}(intrinsecus|users|files|trash|suggestions|changes|auth)/|/tiles\\.json$`,
);

/** True for a list of datasets, which the browser searches. */
const isSearched = (path: string): boolean =>
  path === `${apiRoot}${collections.dataset}/` || /^\/api\/v1\/namespaces\/[^/]+\/(datasets\/)?$/.test(path);

/**
 * The address of a link in a page that becomes a file; null if no file answers it.
 * @param href with or without the host of the site
 * @param base base URL of the site
 */
function staticHref(href: string, base: string): string | null {
  const [address = '', hash] = href.split('#');
  const [path = '', query] = address.split('?');
  const prefix = baseUrlPath(base);
  const isOwn = path.startsWith(`${base}/`) || (path.startsWith('/') && path.startsWith(`${prefix}/`));
  if (!isOwn) return href;
  const own = path.startsWith(`${base}/`) ? path.slice(base.length) : path.slice(prefix.length);
  const at = (changed: string) => path.slice(0, path.length - own.length) + changed + (hash ? `#${hash}` : '');
  if (neverExported.test(own)) return null;
  if (query === undefined) return href;
  const known = Object.hasOwn(formatFiles, query) ? formatFiles[query] : undefined;
  if (known !== undefined) return at(known ? `${own.replace(/\/?$/, '/')}${known}` : own);
  if (query === '_format=objects') return at(own.replace(/\/data\/$/, '/data.objects'));
  if (own === '/') return at(`${apiRoot}${collections.dataset}/?${query}`);
  return isSearched(own) ? href : null;
}

/** What the rule needs to know of the page that is rendered. */
type Rendered = Pick<PageContext, 'base' | 'path' | 'filteringOf'>;

/** Renders with the rule: preact's hook before an element is rendered. */
export function renderStatically<T>(context: Rendered, render: () => T): T {
  const hooks = options as { __b?: ((vnode: VNode<Props>) => void) | undefined };
  const before = hooks.__b;
  hooks.__b = (vnode) => {
    if (typeof vnode.type === 'string') makeStatic(vnode, context);
    before?.(vnode);
  };
  try {
    return render();
  } finally {
    hooks.__b = before;
  }
}

const leaveOut = (vnode: VNode<Props>) => Object.assign(vnode, { type: Fragment, props: {} });

/** The path of an address, without that of the site. */
const pathBelow = (address: unknown, base: string) =>
  String(address).split(/[?#]/)[0]?.slice(baseUrlPath(base).length) ?? '';

const showWithScript = (vnode: VNode<Props>) => {
  vnode.props.class = [vnode.props.class, 'only-js'].filter(Boolean).join(' ');
};

function makeStatic(vnode: VNode<Props>, context: Rendered): void {
  const { props } = vnode;
  const { base } = context;
  const isFiltered = (address: unknown) => context.filteringOf?.(pathBelow(address, base)) === 'inBrowser';
  const isOwnFiltered = isFiltered(baseUrlPath(base) + context.path);
  switch (vnode.type) {
    case 'a':
    case 'link': {
      if (typeof props.href !== 'string') return;
      const href = staticHref(props.href, base);
      if (/\/#(q|where)$/.test(props.href)) showWithScript(vnode);
      if (vnode.type === 'a' && href?.includes('?') && isSearched(pathBelow(href, base))) {
        props['data-rows'] = href;
        delete props.href;
      } else if (href !== null) props.href = href;
      else if (vnode.type === 'a' && isFiltered(props.href)) {
        // Of the page's own rows, the parameters are enough.
        const isOwn = pathBelow(props.href, base) === context.path;
        props['data-rows'] = isOwn ? props.href.slice(props.href.indexOf('?')) : props.href;
        delete props.href;
      } else if (vnode.type === 'link' || /\/(auth|history|changes)\//.test(props.href)) leaveOut(vnode);
      else delete props.href;
      return;
    }
    case 'form':
      if (isFiltered(props.action) || isSearched(pathBelow(props.action, base))) showWithScript(vnode);
      else leaveOut(vnode);
      return;
    // With its form.
    case 'section':
      if (props.id !== 'where') return;
      if (isOwnFiltered || isSearched(context.path) || context.path === '/') showWithScript(vnode);
      else leaveOut(vnode);
      return;
    case 'img':
      if (typeof props.src === 'string') props.src = props.src.replace(/(\.svg)\?.*$/, '$1');
      return;
    case 'figure':
      for (const name of Object.keys(props)) if (/^data-(map-|rows$)/.test(name)) delete props[name];
      return;
    case 'button':
      if ('data-map-open' in props) leaveOut(vnode);
      return;
    case 'details':
      if (props.class !== 'picker') return;
      if (isOwnFiltered) showWithScript(vnode);
      else leaveOut(vnode);
      return;
    default:
  }
}
