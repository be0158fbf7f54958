/** Forms of pages: their parameters become those of the API, and the browser is redirected to the plain address. */
import { queryStringOf } from '../pages/page-context.ts';
import { pathPrefix, type RequestContext } from './route.ts';

/** Redirects to a path with a query string, with GET (RFC 9110, section 15.4.4). */
export function seeOther({ ctx, app }: Pick<RequestContext, 'ctx' | 'app'>, path: string): void {
  ctx.status = 303;
  ctx.body = '';
  ctx.remove('Content-Type');
  ctx.set('Location', pathPrefix(app) + path);
  ctx.set('Cache-Control', 'no-cache');
}

const sides = ['_west', '_south', '_east', '_north'] as const;
const limits = { _west: '-180', _south: '-90', _east: '180', _north: '90' } as const;

/**
 * The query string that the form of an area stands for; null if it wasn't sent. Blank sides are those of the world; if
 * all are blank, there is no box.
 */
export function queryOfAreaForm(query: URLSearchParams): string | null {
  if (!sides.some((side) => query.has(side))) return null;
  const values = sides.map((side) => query.get(side)?.trim() || null);
  const box = values.some((value) => value !== null)
    ? sides.map((side, i) => values[i] ?? limits[side]).join(',')
    : null;
  const names: readonly string[] = [...sides, 'bbox', '_bbox', 'page', '_page', 'offset', '_offset'];
  const kept = [...query].filter(([name, value]) => !names.includes(name) && value !== '');
  return queryStringOf([...kept, ...(box === null ? [] : ([['bbox', box]] as const))]);
}
