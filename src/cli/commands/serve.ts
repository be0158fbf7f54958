/** `catalogue serve`: the catalogue over HTTP, until Ctrl-C. */
import { Option } from 'commander';
import type { Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { defaultPort, webAddress, wholeNumberParser } from '../options.ts';

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly baseUrl?: string;
  readonly readOnly?: boolean;
  readonly logFormat?: 'text' | 'json';
  readonly metrics?: boolean;
  readonly followGit?: string | true;
  readonly followInterval?: number;
}

export const command: Verb<ServeOptions> = {
  usage: 'serve',
  description: 'Serve the catalogue over HTTP.',
  on: 'folder',
  notes:
    'The REST API is under /api/v1/. Ctrl-C stops the server.\n\n' +
    'With --follow-git, the server fetches the branch that is checked out from its git remote and serves each new commit, if ' +
    'it is a fast-forward and brings no errors (catalogue check --changed). It takes no writes: they go to the remote. With ' +
    'CATALOGUE_WEBHOOK_SECRET in the environment, a webhook of the git host at /webhooks/git starts a fetch, too.',
  examples: [
    'catalogue serve',
    'catalogue serve --data my-data --port 0',
    'catalogue serve --host 0.0.0.0 --port 80 --base-url https://data.example.org --read-only',
    'catalogue serve --follow-git',
    'catalogue serve --follow-git origin --follow-interval 10',
  ],
  options: () => [
    new Option('--host <address>', 'Address to listen at; 0.0.0.0 for every network.').default('127.0.0.1'),
    new Option('--port <number>', 'Port to listen at; 0 for any free one.')
      .default(defaultPort)
      .argParser(wholeNumberParser(0, 65_535)),
    new Option('--base-url <url>', 'Public address of the server, for links in answers.').argParser(webAddress),
    new Option('--read-only', 'Refuse everything that would change the catalogue.'),
    new Option(
      '--log-format <format>',
      'Lines of text about problems (the default), or JSON about problems and every request.',
    ).choices(['text', 'json']),
    new Option('--follow-git [remote]', 'Fetch the branch from its git remote, and serve each new commit.'),
    new Option('--follow-interval <seconds>', 'Time between two fetches; default 60.').argParser(
      wholeNumberParser(1, 86_400),
    ),
    new Option('--metrics', 'Serve metrics for Prometheus at /metrics.'),
  ],
  async run({ context, show, folder }, _args, options) {
    // Problems are logged with --quiet, too.
    const log = (line: string) => context.err(`${line}\n`);
    // First, so that Ctrl-C isn't lost while the files are read.
    const interrupted = context.interrupted();
    if (options.followInterval !== undefined && options.followGit === undefined)
      throw new UsageError('--follow-interval is for --follow-git: add that.');
    const { CATALOGUE_WEBHOOK_SECRET: webhookSecret } = context.env;
    const server = await context.serve({ ...options, ...(webhookSecret && { webhookSecret }), folder: folder(), log });
    const url = `${server.url.replace(/\/$/, '')}/`;
    if (show.asJson) show.json({ title: server.title, url });
    else show.line(`Serving ${server.title} at ${url}`);
    await interrupted;
    await server.close();
    return 0;
  },
};
