/** Pages of the site itself: home, login, logout. */
import type { Dataset, Settings } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections } from '../catalogue/urls.ts';
import { escapeHtml, htmlPage } from './layout.ts';

/**
 * A page with the first datasets, and links to the rest.
 * @param count number of all datasets
 */
export function homePage(settings: Settings, base: string, datasets: readonly Dataset[], count: number): string {
  const link = (path: string, text: string) => `<a href="${escapeHtml(base + path)}">${escapeHtml(text)}</a>`;
  const links = (['dataset', 'namespace', 'version', 'query'] as const).map((kind) =>
    link(`${apiRoot}${collections[kind]}/`, collections[kind]),
  );
  const items = datasets.map(
    (dataset) =>
      `<li>${link(apiPath({ ...dataset, kind: 'dataset' }), dataset.label)} (${escapeHtml(dataset.namespace)})</li>`,
  );
  const list = items.length
    ? `<ul>\n${items.join('\n')}\n</ul>`
    : '<p>There are no datasets yet. Add one with <code>catalogue dataset add</code>.</p>';
  const more =
    count > datasets.length ? `<p>${link(`${apiRoot}datasets/?page=2`, `${count - datasets.length} more`)}</p>` : '';
  const about = settings.description ? `<p>${escapeHtml(settings.description)}</p>` : '';
  return htmlPage(
    settings.title,
    settings,
    base,
    `${about}\n<p>${links.join(' · ')} · ${link(apiRoot, 'API')} · ${link('/schemas/', 'schemas')}</p>\n<h2>Datasets</h2>\n${list}\n${more}`,
  );
}

interface PageParts {
  readonly settings: Settings;
  readonly base: string;
  /** CSRF token of the form. */
  readonly csrf: string;
  /** Path to redirect to afterwards. */
  readonly next: string;
}

export interface SignInParts extends PageParts {
  readonly username?: string;
  /** Error of the last attempt. */
  readonly message?: string;
}

/** The form that asks for username and password. */
export function signInPage({ settings, base, csrf, next, username = '', message }: SignInParts): string {
  const error = message === undefined ? '' : `<p role="alert">${escapeHtml(message)}</p>\n`;
  const fields = `<p><label for="username">Username</label><br>
<input id="username" name="username" value="${escapeHtml(username)}" autocomplete="username" autocapitalize="none" required autofocus></p>
<p><label for="password">Password</label><br>
<input id="password" name="password" type="password" autocomplete="current-password" required></p>`;
  return htmlPage('Log in', settings, base, error + form(csrf, next, fields, 'Log in'));
}

/** The form that asks to confirm logging out. */
export function signOutPage({ settings, base, csrf, next, username = '' }: SignInParts): string {
  const fields = `<p>You are logged in as ${escapeHtml(username)}.</p>`;
  return htmlPage('Log out', settings, base, form(csrf, next, fields, 'Log out'));
}

/** A form that is sent to its own page. */
function form(csrf: string, next: string, fields: string, button: string): string {
  return `<form method="post">
<input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(csrf)}">
<input type="hidden" name="next" value="${escapeHtml(next)}">
${fields}
<p><button type="submit">${button}</button></p>
</form>`;
}
