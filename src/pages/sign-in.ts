/** The pages on which people sign in and out. */
import type { Settings } from '../catalogue/types.ts';
import { escapeHtml, layout } from './plain.ts';

interface PageParts {
  readonly settings: Settings;
  readonly base: string;
  /** Shows that the form is ours when it comes back. */
  readonly csrf: string;
  /** Where to go afterwards. */
  readonly next: string;
}

export interface SignInParts extends PageParts {
  readonly username?: string;
  /** What went wrong the last time. */
  readonly message?: string;
}

/** The form that asks for username and password. */
export function signInPage({ settings, base, csrf, next, username = '', message }: SignInParts): string {
  const error = message === undefined ? '' : `<p role="alert">${escapeHtml(message)}</p>\n`;
  const fields = `<p><label for="username">Username</label><br>
<input id="username" name="username" value="${escapeHtml(username)}" autocomplete="username" autocapitalize="none" required autofocus></p>
<p><label for="password">Password</label><br>
<input id="password" name="password" type="password" autocomplete="current-password" required></p>`;
  return layout('Log in', settings, base, error + form(csrf, next, fields, 'Log in'));
}

/** The question whether to sign out. */
export function signOutPage({ settings, base, csrf, next, username = '' }: SignInParts): string {
  const fields = `<p>You are logged in as ${escapeHtml(username)}.</p>`;
  return layout('Log out', settings, base, form(csrf, next, fields, 'Log out'));
}

/** A form that is sent to the page it stands on. */
function form(csrf: string, next: string, fields: string, button: string): string {
  return `<form method="post">
<input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(csrf)}">
<input type="hidden" name="next" value="${escapeHtml(next)}">
${fields}
<p><button type="submit">${button}</button></p>
</form>`;
}
