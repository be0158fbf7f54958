/** The person's own browser: `$BROWSER`, else whatever the system opens addresses with. */
import { spawn } from 'node:child_process';

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether it may need the terminal, as lynx does. */
  readonly isOwn: boolean;
}

/** What may open the address, the best first. Nothing of the address is ever read by a shell. */
export function browsersFor(url: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly Command[] {
  // As https://www.freedesktop.org/wiki/Specifications says of xdg-open: several are parted by colons, %s is the address.
  const own = (env.BROWSER ?? '')
    .split(/:(?!\/\/|\\)/)
    .filter((command) => command.trim() !== '')
    .map((command) => {
      const line = command.includes('%s') ? command.replace(/'%s'|"%s"|%s/g, '"$1"') : `${command} "$1"`;
      return { program: 'sh', args: ['-c', line, 'browser', url], isOwn: true };
    });
  if (platform === 'win32') return [{ program: 'rundll32', args: ['url.dll,FileProtocolHandler', url], isOwn: false }];
  return [...own, { program: platform === 'darwin' ? 'open' : 'xdg-open', args: [url], isOwn: false }];
}

/**
 * Opens an address of the web.
 * @returns whether something took it
 */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (const { program, args, isOwn } of browsersFor(url, env, process.platform)) {
    const child = spawn(program, args, { env, stdio: isOwn ? 'inherit' : 'ignore' });
    const isTaken = await new Promise<boolean>((resolve) => {
      child.on('error', () => resolve(false));
      child.on('close', (code) => resolve(code === 0));
    });
    if (isTaken) return true;
  }
  return false;
}
