/** Health checks of the program and of what it runs on. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { promisify } from 'node:util';
import { checksOf, type HealthCheck } from './health-check.ts';

const { ok, warning, problem } = checksOf('environment');
const run = promisify(execFile);

/** @param usesLfs true if the catalogue's folder keeps payloads in Git LFS */
export async function programHealthChecks(usesLfs: boolean): Promise<readonly HealthCheck[]> {
  const { node } = process.versions;
  const { version, engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const least = /\d+\.\d+/.exec(engines.node)?.[0] ?? '';
  return [
    ok('catalogue', version),
    isVersionAtLeast(node, least)
      ? ok('node', `${node} (${least} or later is needed)`)
      : problem('node', `${node} is too old`, `Install Node ${least} or later: https://nodejs.org`),
    ok('platform', `${process.platform} ${release()}, ${process.arch}`),
    ...(await gitHealthChecks(usesLfs)),
  ];
}

export function isVersionAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

async function gitHealthChecks(usesLfs: boolean): Promise<readonly HealthCheck[]> {
  const git = await versionFrom(['--version']);
  if (git === null)
    return [warning('git', 'not found', 'Without git there is no history and there are no commits. Install git.')];
  const lfs = await versionFrom(['lfs', 'version']);
  const missing = usesLfs
    ? problem('git lfs', 'not found, and .gitattributes asks for it', 'Install it: https://git-lfs.com')
    : ok('git lfs', 'not installed, and not needed');
  return [ok('git', git), lfs === null ? missing : ok('git lfs', lfs)];
}

/** The version of git or of a part of it; null where it isn't installed. */
async function versionFrom(args: readonly string[]): Promise<string | null> {
  const { stdout } = await run('git', [...args]).catch(() => ({ stdout: null }));
  return stdout === null ? null : (/\d+\.\d+[.\d]*/.exec(stdout)?.[0] ?? stdout.trim());
}
