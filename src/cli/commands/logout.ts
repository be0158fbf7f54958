/** `catalogue logout`: nobody any more at a catalogue elsewhere. */
import { NotAuthenticatedError, NotFoundError } from '../../catalogue/errors.ts';
import type { Verb } from '../command.ts';
import { findRemote, type Login, withoutLogin } from '../remote/remotes.ts';
import { changeRemotes, readRemotes } from '../remote/remotes-file.ts';

export const command: Verb = {
  usage: 'logout [remote]',
  description: 'Sign out of a catalogue elsewhere, by its name or address.',
  notes:
    'The token is forgotten here and made worthless there. One that was given with login --token-stdin stays valid there.',
  examples: ['catalogue logout prod'],
  on: 'nothing',
  async run({ context, show, remoteUrl }, [given]) {
    const url = await remoteUrl(given);
    const { name, login } = findRemote(await readRemotes(context.env), url);
    if (!login) {
      show.message(`Nobody is signed in to ${name}.`);
      return 0;
    }
    const left = await revoke(login);
    await changeRemotes(context.env, (data) => withoutLogin(data, url));
    show.message(`Signed out of ${name}.${left}`);
    return 0;
  },
};

/** @returns what is to be said of a token that stays valid; '' where it doesn't */
async function revoke({ url, token, id, expires }: Login): Promise<string> {
  if (id === null) return ' The token was given, and stays valid. To remove it: catalogue token remove';
  const [{ openHttp }, { revokeToken }] = await Promise.all([
    import('../../remote/http.ts'),
    import('../../remote/sign-in.ts'),
  ]);
  const http = await openHttp(url, { token, retries: 0 });
  try {
    await revokeToken(http, id);
    return '';
  } catch (error) {
    // Worthless already: what was wanted.
    if (error instanceof NotAuthenticatedError || error instanceof NotFoundError) return '';
    const until = expires === null ? '' : ` until ${expires.slice(0, 10)}`;
    return ` The token is forgotten here, but stays valid there${until}: ${(error as Error).message}`;
  } finally {
    await http.close();
  }
}
