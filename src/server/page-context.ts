/** What pages need to know of a request. */
import type { ParameterizedContext } from 'koa';
import type { Settings } from '../catalogue/types.ts';
import { type Language, type Locale, languageForTag, localeFor } from '../pages/locale.ts';
import type { PageContext } from '../pages/page-context.ts';
import { assetsPath } from './assets.ts';
import { preferredLanguages } from './negotiate.ts';
import type { StaticExport } from './route.ts';

/** The language of the pages: that of the catalogue, else the one that the client prefers, else English. */
function pageLanguage({ language }: Settings, acceptLanguage: string | undefined): Language {
  const own = languageForTag(language);
  if (own) return own;
  for (const tag of preferredLanguages(acceptLanguage)) {
    const known = languageForTag(tag);
    if (known) return known;
  }
  return 'en';
}

/** The language of the pages for a request. */
export const pageLocale = ({ req }: ParameterizedContext, settings: Settings): Locale =>
  localeFor(pageLanguage(settings, req.headers['accept-language']));

/** @param base base URL of links; '' if it isn't known */
export function makePageContext(
  ctx: ParameterizedContext,
  settings: Settings,
  base: string,
  username: string | null,
  staticExport: StaticExport | null = null,
): PageContext {
  return {
    settings,
    locale: pageLocale(ctx, settings),
    base,
    path: ctx.path,
    query: new URLSearchParams(ctx.querystring),
    assets: assetsPath,
    today: staticExport?.today ?? new Date().toISOString().slice(0, 10),
    isExport: staticExport !== null,
    ...(staticExport && { filteringOf: staticExport.filteringOf, hasFile: staticExport.hasFile }),
    username,
  };
}
