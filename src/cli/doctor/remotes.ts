/** Health checks of remotes: the answer to a small request, the version of the server's program, and the sign-in. */
import { CatalogueError, NotAuthenticatedError } from '../../catalogue/errors.ts';
import type { Call } from '../command.ts';
import { ageText } from '../output/quantities.ts';
import { listRemotesWithOrigin } from '../remote/origin.ts';
import type { Login, Remote } from '../remote/remotes.ts';
import { readRemotes } from '../remote/remotes-file.ts';
import { checksOf, type HealthCheck } from './health-check.ts';

const { ok, warning, problem } = checksOf('remotes');
const aWeek = 7 * 86_400_000;

/**
 * Checks all remotes, the one that the folder was cloned from, and sign-ins at addresses without a name; with --remote,
 * that one only.
 * @param root absolute path of the folder; null where there is none
 */
export async function remoteServerHealthChecks(call: Call, root: string | null): Promise<readonly HealthCheck[]> {
  try {
    const data = await readRemotes(call.context.env);
    const given = call.global.remote;
    const remotes =
      given === undefined
        ? withNamelessLogins(await listRemotesWithOrigin(root, data), data.logins)
        : [{ name: given, url: await call.remoteUrl(given) }];
    const checks = await Promise.all(remotes.map(({ name, url }) => checkRemote(call, name, url, data.logins)));
    return checks.flat();
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return [problem('configuration', error.message, 'See: catalogue remote list')];
  }
}

/** The remotes, then the sign-ins at other addresses, named by these. */
function withNamelessLogins(remotes: readonly Remote[], logins: readonly Login[]): readonly Remote[] {
  const nameless = logins.filter((login) => !remotes.some(({ url }) => url === login.url));
  return [...remotes, ...nameless.map(({ url }) => ({ name: url, url }))];
}

/** Asks a server as the user who is signed in; as nobody, if the server refuses the token. */
async function checkRemote(
  call: Call,
  name: string,
  url: string,
  logins: readonly Login[],
): Promise<readonly HealthCheck[]> {
  const [{ openRemoteCatalogue }, { openHttp }, { fetchUsername, fetchServerVersion }] = await Promise.all([
    import('../../remote/remote-catalogue.ts'),
    import('../../remote/http.ts'),
    import('../../remote/accounts.ts'),
  ]);
  const { token, isFromEnvironment } = await call.signInAt(url);
  const login = isFromEnvironment ? undefined : logins.find((one) => one.url === url);
  const http = await openHttp(url, { token });
  try {
    const user = token === undefined ? null : await fetchUsername(http).catch(refused);
    const started = performance.now();
    const catalogue = await openRemoteCatalogue(url, { token: user === null ? undefined : token });
    const { count } = await catalogue.list('dataset', { pageSize: 1 }).finally(() => catalogue.close());
    const milliseconds = Math.round(performance.now() - started);
    const version = user === null ? null : await fetchServerVersion(http);
    const facts = `${url} answers in ${milliseconds} ms, ${count} datasets${version === null ? '' : `, version ${version}`}`;
    return [ok(name, facts), ...(token === undefined ? [] : [checkSignIn(name, user, login)])];
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return [problem(name, url, error.message)];
  } finally {
    await http.close();
  }
}

function refused(error: unknown): null {
  if (error instanceof NotAuthenticatedError) return null;
  throw error;
}

/**
 * @param user owner of the token, by the server's word; null if it refuses the token
 * @param login the stored sign-in; undefined for CATALOGUE_TOKEN
 */
function checkSignIn(name: string, user: string | null, login: Login | undefined): HealthCheck {
  const again = `Sign in again: catalogue login ${name}`;
  if (!login)
    return user === null
      ? problem(name, 'the token in CATALOGUE_TOKEN is refused', 'Unset it, or set another one.')
      : ok(name, `signed in as ${user}, by CATALOGUE_TOKEN`);
  const { expires } = login;
  if (user === null) {
    const hasEnded = expires !== null && Date.parse(expires) <= Date.now();
    const why = hasEnded ? `has ended ${ageText(expires)}` : 'is refused: the token was removed, or its user';
    return problem(name, `the sign-in as ${login.user} ${why}`, again);
  }
  if (expires === null) return ok(name, `signed in as ${user}`);
  const message = `signed in as ${user}, which ends ${ageText(expires)}`;
  return Date.parse(expires) - Date.now() < aWeek ? warning(name, message, again) : ok(name, message);
}
