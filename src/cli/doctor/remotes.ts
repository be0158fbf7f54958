/** Catalogues elsewhere: whether they answer, and for how long one stays signed in. */
import { CatalogueError } from '../../catalogue/errors.ts';
import type { Call } from '../command.ts';
import { ageText } from '../output/quantities.ts';
import type { Login } from '../remote/remotes.ts';
import { readRemotes } from '../remote/remotes-file.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warning, problem } = findingsOf('remotes');
const aWeek = 7 * 86_400_000;

/** Asks each of them one small question; only the one that is meant, where one is. */
export async function lookAtRemotes(call: Call): Promise<readonly Finding[]> {
  try {
    const { remotes, logins } = await readRemotes(call.context.env);
    const meant = call.global.remote;
    const asked = meant === undefined ? remotes.map(({ name }) => name) : [meant];
    const findings = await Promise.all(
      asked.map(async (name) => {
        const url = await call.remoteUrl(name);
        const login = logins.find((one) => one.url === url);
        return [await lookAtRemote(call, name, url), ...(login ? [lookAtLogin(name, login)] : [])];
      }),
    );
    return findings.flat();
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return [problem('configuration', error.message, 'See: catalogue remote list')];
  }
}

async function lookAtRemote(call: Call, name: string, url: string): Promise<Finding> {
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

function lookAtLogin(name: string, { user, expires }: Login): Finding {
  const what = `signed in as ${user}`;
  const again = `Sign in again: catalogue login ${name}`;
  if (expires === null) return ok(name, what);
  const left = Date.parse(expires) - Date.now();
  if (left <= 0) return problem(name, `${what}, which has ended ${ageText(expires)}`, again);
  const message = `${what}, which ends ${ageText(expires)}`;
  return left < aWeek ? warning(name, message, again) : ok(name, message);
}
