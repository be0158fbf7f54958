/** `catalogue completion`: the words that a shell offers when Tab is pressed. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Verb } from '../command.ts';
import type { Candidate, Offer, Sources } from '../completion/candidates.ts';
import { findShellByName, type Shell, shells } from '../completion/shells.ts';
import type { Context } from '../context.ts';

/** Milliseconds: nobody waits longer for a remote after pressing Tab. */
const patience = 3000;

export const command: Verb = {
  usage: 'completion <shell> [words...]',
  description: 'Print the script that lets a shell complete commands, options and names.',
  notes:
    'The shell is bash, zsh or fish. With the words of a command line after --, it prints the possible next words: the ' +
    `script calls this.\n\nInstallation:\n${Object.values(shells)
      .map(({ install }) => `  ${install}`)
      .join('\n')}`,
  examples: ['catalogue completion bash', 'catalogue completion fish -- dataset show pa'],
  on: 'nothing',
  async run(call, [name = '', ...words]) {
    const shell = findShellByName(name);
    if (words.length === 0) {
      call.context.out(shell.script);
      return 0;
    }
    const given = words.map((word = '') => word);
    const offer = await Promise.race([offerFor(call, shell, given), sleep(patience, nothing, { ref: false })]).catch(
      // An error would only disturb the typing.
      () => nothing,
    );
    for (const line of shell.answer(offer, given)) call.context.out(`${line}\n`);
    return 0;
  },
};

const nothing: Offer = { candidates: [] };

async function offerFor({ context, declared }: Call, shell: Shell, given: readonly string[]): Promise<Offer> {
  const [{ expectedNextWord }, { completionCandidates }] = await Promise.all([
    import('../completion/expected.ts'),
    import('../completion/candidates.ts'),
  ]);
  const words = shell.words(given);
  const current = words.at(-1) ?? '';
  const expected = await expectedNextWord(declared(), words.slice(0, -1), current);
  const options = 'given' in expected ? expected.given.options : {};
  return completionCandidates(expected, current, await sourcesFor(context, options, shell.describing));
}

async function sourcesFor(
  context: Context,
  { data, remote }: Readonly<Record<string, string | true>>,
  describing: boolean,
): Promise<Sources> {
  const [{ cataloguesForCommand }, { nameSourceForCompletion }] = await Promise.all([
    import('../catalogues.ts'),
    import('../completion/names.ts'),
  ]);
  // If a command works on both, the names are those of the folder.
  const global = typeof data === 'string' ? { data } : typeof remote === 'string' ? { remote } : {};
  const catalogues = cataloguesForCommand(context, global, '', undefined);
  const folder = () => (catalogues.isRemote ? undefined : resolve(context.cwd, catalogues.folder()));
  const remotes = () => remotesKnown(context, typeof data === 'string' ? data : undefined);
  return { names: nameSourceForCompletion(folder, catalogues.open), remotes, describing };
}

/** @param data folder that was typed */
async function remotesKnown({ cwd, env }: Context, data: string | undefined): Promise<readonly Candidate[]> {
  const [{ readRemotes }, { listRemotesWithOrigin }, { findCatalogueFolder }] = await Promise.all([
    import('../remote/remotes-file.ts'),
    import('../remote/origin.ts'),
    import('../folder.ts'),
  ]);
  const remotes = await listRemotesWithOrigin(findCatalogueFolder(data, cwd, env), await readRemotes(env));
  return remotes.map(({ name, url }) => ({ word: name, description: url }));
}
