/** All commands: a line for each noun, whose module is loaded when it is called. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import type { closestWord } from '../catalogue/closest.ts';
import type { Call, Commands, Declared, GlobalOptions, Verb, WorksOn } from './command.ts';
import type { Context } from './context.ts';

interface Noun {
  readonly description: string;
  load(): Promise<Commands>;
}

export const nouns: Readonly<Record<string, Noun>> = {
  init: { description: 'Make a new catalogue.', load: () => import('./commands/init.ts') },
  namespace: {
    description: 'Namespaces: datasets with the same owners.',
    load: () => import('./commands/namespace.ts'),
  },
  dataset: { description: 'Datasets: descriptions of published data.', load: () => import('./commands/dataset.ts') },
  version: { description: 'Versions: the data of a dataset.', load: () => import('./commands/version.ts') },
  column: { description: 'Columns: the meaning of the values.', load: () => import('./commands/column.ts') },
  query: { description: 'Queries: saved filters of a dataset.', load: () => import('./commands/query.ts') },
  publish: { description: 'Add a version, and its dataset if it is new.', load: () => import('./commands/publish.ts') },
  import: { description: 'Take in datasets of another portal.', load: () => import('./commands/import.ts') },
  refresh: { description: 'Import the saved sources again.', load: () => import('./commands/refresh.ts') },
  data: { description: 'Print the rows of a dataset.', load: () => import('./commands/data.ts') },
  download: { description: 'Download the file of a version.', load: () => import('./commands/download.ts') },
  clone: { description: 'Copy a remote catalogue into a folder.', load: () => import('./commands/clone.ts') },
  pull: {
    description: 'Fetch the changes of a remote catalogue.',
    load: async () => ({ command: (await import('./commands/pull-push.ts')).pull }),
  },
  push: {
    description: 'Send local changes to a remote catalogue.',
    load: async () => ({ command: (await import('./commands/pull-push.ts')).push }),
  },
  diff: {
    description: 'Compare versions, commits, or local and remote.',
    load: () => import('./commands/diff.ts'),
  },
  group: { description: 'Groups: users who own namespaces together.', load: () => import('./commands/group.ts') },
  user: { description: 'Users: people who may sign in.', load: () => import('./commands/user.ts') },
  token: { description: 'Tokens: for programs that sign in.', load: () => import('./commands/token.ts') },
  trash: { description: 'List and restore what was removed.', load: () => import('./commands/trash.ts') },
  payloads: { description: 'Payloads in an object store.', load: () => import('./commands/payloads.ts') },
  check: { description: 'Find errors in the files.', load: () => import('./commands/check.ts') },
  backup: {
    description: 'Write the catalogue to one file.',
    load: async () => ({ command: (await import('./commands/backup.ts')).backup }),
  },
  restore: {
    description: 'Restore a catalogue from a backup.',
    load: async () => ({ command: (await import('./commands/backup.ts')).restore }),
  },
  export: { description: 'Write the public part as static files.', load: () => import('./commands/export.ts') },
  serve: { description: 'Serve the catalogue over HTTP.', load: () => import('./commands/serve.ts') },
  remote: { description: 'Remotes: names for remote catalogues.', load: () => import('./commands/remote.ts') },
  login: {
    description: 'Sign in to a remote catalogue.',
    load: async () => ({ command: (await import('./commands/login.ts')).login }),
  },
  logout: {
    description: 'Sign out of a remote catalogue.',
    load: async () => ({ command: (await import('./commands/login.ts')).logout }),
  },
  open: { description: 'Open a page in the browser.', load: () => import('./commands/open.ts') },
  doctor: { description: 'Check the program, the folder and remotes.', load: () => import('./commands/doctor.ts') },
  completion: { description: 'Set up completion in your shell.', load: () => import('./commands/completion.ts') },
};

const introduction = 'A dataset catalogue in a folder of YAML files.';

const conclusion = `
Examples:
  catalogue init
  catalogue namespace add parks --label "Parks department"
  catalogue publish trees.csv --to parks/trees --label Trees --keyword nature
  catalogue data parks/trees height__gte=10 -o tall.geojson
  catalogue serve

Datasets are named <namespace>/<dataset>, as in parks/trees; their versions
<namespace>/<dataset>@<version>, as in parks/trees@latest.
More about a command: catalogue dataset add --help
Documentation: https://…/docs/ of every server, and docs/ in the package

The catalogue's folder is the one named by --data, else by CATALOGUE_DATA in
the environment, else ./catalogue-data, else the current folder if it is one.
With --remote, or CATALOGUE_REMOTE in the environment, the same commands work on
a remote catalogue, as the user of CATALOGUE_TOKEN or of: catalogue login
(CATALOGUE_TOKEN is sent to the remote that they name, and to no other)

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 not allowed,
5 conflict, 6 the remote can't be reached, 130 interrupted.`;

/** The program for commander. @param ended gets the exit code of the command that ran */
export function createProgram(context: Context, ended: (exitCode: number) => void): Command {
  const program = new Command('catalogue')
    .description(introduction)
    .option('-V, --version', 'Print the version.')
    .on('option:version', () => {
      context.out(`${version()}\n`);
      throw new CommanderError(0, 'commander.version', version());
    })
    .addHelpOption(everywhere(new Option('-h, --help', 'Print this help.')))
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: context.out,
      writeErr: context.err,
      getOutHelpWidth: () => context.columns,
      getErrHelpWidth: () => context.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
      optionDescription: ({ description, defaultValue, defaultValueDescription, negate }) =>
        defaultValue === undefined || negate
          ? description
          : `${description} Default: ${defaultValueDescription ?? defaultValue}.`,
    })
    .showHelpAfterError('See: catalogue --help')
    .addHelpText('after', conclusion);
  withGlobalOptions(program);
  for (const [name, { description }] of Object.entries(nouns)) program.command(name).description(description);
  program.hook('preSubcommand', async (_program, command) => {
    const commands = await nouns[command.name()]?.load();
    if (commands) await addCommandsToNoun(command, commands, context, ended);
  });
  return program;
}

/**
 * Adds to a noun's command what its module declares.
 * @returns a function that declares the options of all its verbs: without a call of it, a verb's are declared when it is called
 */
export async function addCommandsToNoun(
  noun: Command,
  commands: Commands,
  context: Context,
  ended: (exitCode: number) => void,
): Promise<() => void> {
  if ('command' in commands) {
    const [, ...args] = commands.command.usage.split(' ');
    for (const arg of args) noun.argument(arg);
    declare(noun, commands.command, context, ended);
    return () => {};
  }
  withGlobalOptions(noun)
    .helpCommand(false)
    .showHelpAfterError(`See: ${pathOf(noun)} --help`);
  noun.addHelpText('after', `\nMore about a command: ${pathOf(noun)} ${commands.verbs[0]?.usage.split(' ')[0]} --help`);
  const undeclared = new Map<Command, Verb>();
  for (const verb of commands.verbs) undeclared.set(noun.command(verb.usage).summary(verb.description), verb);
  const declareVerb = (command: Command) => {
    const verb = undeclared.get(command);
    if (verb && undeclared.delete(command)) declare(command, verb, context, ended);
  };
  const declareAll = () => noun.commands.forEach(declareVerb);
  noun.hook('preSubcommand', (_noun, command) => declareVerb(command));
  const { closestWord } = await import('../catalogue/closest.ts');
  // Commander's own suggestions may be three letters away: "remove" for "rename".
  noun.on('command:*', ([name = '']: readonly string[]) => {
    declareAll();
    noun.error(`error: unknown command '${name}'${verbSuggestion(noun, name, closestWord)}`, {
      code: 'commander.unknownCommand',
    });
  });
  return declareAll;
}

/** What other programs call the verbs here. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  add: ['create', 'new'],
  list: ['ls'],
  show: ['get', 'view', 'info', 'cat'],
  edit: ['update', 'change', 'set', 'modify'],
  remove: ['delete', 'del', 'rm'],
};

/**
 * The command that was probably meant, on a line of its own; '' if none. One that deletes is at most one letter away, or has the
 * name that it has in other programs.
 */
function verbSuggestion(noun: Command, name: string, closest: typeof closestWord): string {
  const edit = noun.commands.find((verb) => verb.name() === 'edit');
  const argument = edit?.registeredArguments[0]?.name();
  const hasOption = (option: string) => edit?.options.some(({ long }) => long === option) === true;
  if (edit && /^(?:rename|mv|move)$/.test(name) && hasOption('--slug'))
    return `\n(To rename: ${pathOf(edit)} <${argument}> --slug NEW)`;
  if (edit && /^(?:withdraw|unpublish)$/.test(name) && hasOption('--ready'))
    return `\n(To withdraw: ${pathOf(edit)} <${argument}> --ready false)`;
  const deletes = (verb: Command) => verb.options.some(({ long }) => long === '--yes');
  const namesOf = (verbs: readonly Command[]) => verbs.map((verb) => verb.name());
  const meant =
    noun.commands.find((verb) => otherNames[verb.name()]?.includes(name))?.name() ??
    closest(name, namesOf(noun.commands), 1) ??
    closest(name, namesOf(noun.commands.filter((verb) => !deletes(verb))));
  return meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
}

function declare(command: Command, verb: Verb, context: Context, ended: (exitCode: number) => void): void {
  const examples = verb.examples.map((example) => `  ${example}`).join('\n');
  command
    .summary(verb.description)
    .description(verb.notes ? `${verb.description}\n\n${verb.notes}` : verb.description)
    .showHelpAfterError(`See: ${pathOf(command)} --help`)
    .addHelpText('after', `\n${verb.examples.length > 1 ? 'Examples' : 'Example'}:\n${examples}`);
  for (const option of verb.options?.() ?? []) command.addOption(option);
  withGlobalOptions(command).action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).flat() as (string | undefined)[];
    const own = Object.entries(command.opts()).filter(([name]) => !globalNames.includes(name));
    const { call, withHint } = await callFor(context, command, typeof verb.on === 'function' ? verb.on(args) : verb.on);
    ended(await verb.run(call, args, Object.fromEntries(own)).catch((error) => Promise.reject(withHint(error))));
  });
}

async function callFor(base: Context, command: Command, on: WorksOn | undefined) {
  const [{ createOutput }, { contextWithVerbosity }, { cataloguesForCommand }] = await Promise.all([
    import('./output/show.ts'),
    import('./verbosity.ts'),
    import('./catalogues.ts'),
  ]);
  const global = readGlobalOptions(command);
  const context = contextWithVerbosity(base, global);
  const { withHint, ...catalogues } = cataloguesForCommand(context, global, pathOf(command), on);
  const call: Call = {
    context,
    global,
    show: createOutput(context, global),
    declared: () => declared(context),
    ...catalogues,
  };
  return { call, withHint };
}

/** The declarations of all commands, loaded noun by noun. */
function declared(context: Context): Declared {
  const program = createProgram(context, () => {});
  return {
    program,
    async load(noun) {
      const commands = await nouns[noun.name()]?.load();
      if (commands) (await addCommandsToNoun(noun, commands, context, () => {}))();
    },
  };
}

/** Adds the options that may be given anywhere on the command line. */
function withGlobalOptions(command: Command): Command {
  const options = [
    new Option('--data <dir>', "The catalogue's folder."),
    new Option('--remote <name|url>', 'A remote catalogue, in place of a folder.'),
    new Option('--json', 'Print JSON: the objects of the API.'),
    new Option('--no-color', 'Print no colours, as with NO_COLOR in the environment.'),
    new Option('-q, --quiet', 'Print results and errors only: no messages, no progress.'),
    new Option('-v, --verbose', 'Print each operation with its time, and the stack of an unexpected error.'),
  ];
  for (const option of options) command.addOption(everywhere(option));
  return command;
}

const everywhere = (option: Option) => option.helpGroup('Options everywhere:');

const globalNames: readonly string[] = ['data', 'remote', 'json', 'color', 'quiet', 'verbose'];

/** The global options that were given: before the noun, before the verb or behind it; the last one counts. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const given: Record<string, unknown> = {};
  for (let at: Command | null = command; at; at = at.parent)
    for (const name of globalNames)
      if (!(name in given) && at.getOptionValueSource(name) === 'cli') given[name] = at.getOptionValue(name);
  return given;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
