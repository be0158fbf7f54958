/** Where what belongs to a person, and to no catalogue, is kept. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder of this program's configuration: below $XDG_CONFIG_HOME, which counts only where it is absolute (XDG Base
 * Directory Specification 0.8), else below ~/.config; on Windows below %APPDATA%.
 */
export function configurationFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const given = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  const usual = platform === 'win32' ? ['AppData', 'Roaming'] : ['.config'];
  const base = given && isAbsolute(given) ? given : join(env.HOME || homedir(), ...usual);
  return join(base, 'catalogue');
}
