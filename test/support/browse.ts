/** A browser without a window, which signs in and sends forms. */
import type { TestContext } from 'node:test';
import { type Answer, filesWithPasswords, serveAccounts } from './accounts.ts';
import type { FolderContent } from './folder.ts';

/** Password of bob and eve. */
export const password = 'builder 7305';

/**
 * A browser, as far as it matters here: it keeps cookies, and sends forms.
 * @param more content beside the users, their groups and namespaces
 */
export async function browse(t: TestContext, settings: object = {}, more: FolderContent = {}) {
  const passwords = filesWithPasswords({ bob: password, eve: password });
  const server = await serveAccounts(t, settings, { ...more, files: { ...more.files, ...passwords } });
  const cookies = new Map<string, string>();
  const visit = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookie) headers.set('Cookie', cookie);
    const answer = await server.ask(path, { ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const fieldOf = (page: Answer, name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
  /** Opens a page and sends its form back, filled in. */
  const fill = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const page = await visit(path);
    const hidden = { csrfmiddlewaretoken: fieldOf(page, 'csrfmiddlewaretoken'), next: fieldOf(page, 'next') };
    return visit(path, { method: 'POST', body: new URLSearchParams({ ...hidden, ...fields }), headers });
  };
  const signIn = (path = '/auth/login/', username = 'bob') => fill(path, { username, password });
  return { ...server, cookies, visit, fieldOf, fill, signIn };
}
