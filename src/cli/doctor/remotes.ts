/** Health checks of remotes: the answer to a small request, and the sign-in. */
import { CatalogueError } from '../../catalogue/errors.ts';
import type { Call } from '../command.ts';
import { ageText } from '../output/quantities.ts';
import type { Login } from '../remote/remotes.ts';
import { readRemotes } from '../remote/remotes-file.ts';
import { checksOf, type HealthCheck } from './health-check.ts';

const { ok, warning, problem } = checksOf('remotes');
const aWeek = 7 * 86_400_000;

/** Checks all remotes; with --remote, that one only. */
export async function checkRemotes(call: Call): Promise<readonly HealthCheck[]> {
  try {
    const { remotes, logins } = await readRemotes(call.context.env);
    const given = call.global.remote;
    const names = given === undefined ? remotes.map(({ name }) => name) : [given];
    const checks = await Promise.all(
      names.map(async (name) => {
        const url = await call.remoteUrl(name);
        const login = logins.find((one) => one.url === url);
        return [await checkRemote(call, name, url), ...(login ? [checkLogin(name, login)] : [])];
      }),
    );
    return checks.flat();
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return [problem('configuration', error.message, 'See: catalogue remote list')];
  }
}

async function checkRemote(call: Call, name: string, url: string): Promise<HealthCheck> {
  const started = performance.now();
  try {
    const catalogue = await call.remote(name);
    const { count } = await catalogue.list('dataset', { pageSize: 1 });
    const milliseconds = Math.round(performance.now() - started);
    return ok(name, `${url} answers in ${milliseconds} ms, ${count} datasets`);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return problem(name, url, error.message);
  }
}

function checkLogin(name: string, { user, expires }: Login): HealthCheck {
  const what = `signed in as ${user}`;
  const again = `Sign in again: catalogue login ${name}`;
  if (expires === null) return ok(name, what);
  const left = Date.parse(expires) - Date.now();
  if (left <= 0) return problem(name, `${what}, which has ended ${ageText(expires)}`, again);
  const message = `${what}, which ends ${ageText(expires)}`;
  return left < aWeek ? warning(name, message, again) : ok(name, message);
}
