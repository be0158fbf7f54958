/** The installed program: its path, and the address that npm installs it from. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Name of the package. */
export const packageName = 'dataset-catalogue';

const packageFolder = fileURLToPath(new URL('../../..', import.meta.url));

/** Absolute paths of Node and of this program, for scripts that run it later. */
export const thisProgram = {
  node: process.execPath,
  script: join(packageFolder, 'bin', 'catalogue.js'),
};

/**
 * The address that this program was installed from, for `npm install` on another computer; null if only this computer
 * can reach it.
 */
export async function npmInstallAddress(folder = packageFolder): Promise<string | null> {
  return (await addressInLock(folder)) ?? (await addressOfClone(folder));
}

/** The address that npm noted when it installed the package, in the hidden lock file of node_modules. */
async function addressInLock(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, '..', '.package-lock.json'), 'utf8').catch(() => '{}');
  try {
    const { packages } = JSON.parse(text);
    const { version, resolved } = Object(packages?.[`node_modules/${packageName}`]);
    if (typeof resolved !== 'string') return null;
    if (/^git\+(https?|ssh):/.test(resolved)) return withoutSecrets(resolved);
    return /^https:\/\/registry\.npmjs\.org\//.test(resolved) ? `${packageName}@${version}` : publicUrl(resolved);
  } catch {
    return null;
  }
}

/** The address of the clone's origin, at its present commit. */
async function addressOfClone(folder: string): Promise<string | null> {
  const { runGit } = await import('../../files/folder.ts');
  const git = async (...args: readonly string[]) => (await runGit(folder, args)).trim();
  try {
    // A package below another repository's node_modules isn't the clone of that repository.
    if ((await git('rev-parse', '--show-prefix')) !== '') return null;
    const [origin, commit] = await Promise.all([git('remote', 'get-url', 'origin'), git('rev-parse', 'HEAD')]);
    const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(origin);
    const url = publicUrl(scp ? `https://${scp[1]}/${scp[2]}` : origin);
    return url && `git+${url}#${commit}`;
  } catch {
    return null;
  }
}

const publicUrl = (text: string): string | null => (/^(https?|ssh):\/\//.test(text) ? withoutSecrets(text) : null);

/** An address without user name and password, except the user of SSH. */
function withoutSecrets(text: string): string {
  return text.replace(/^((?:git\+)?https?:\/\/)[^/@]*@/, '$1').replace(/^((?:git\+)?ssh:\/\/[^/@:]*):[^/@]*@/, '$1@');
}
