/** `catalogue serve`: the catalogue over HTTP, until Ctrl-C. */
import { Option } from 'commander';
import type { Verb } from '../command.ts';
import { webAddress, wholeNumberParser } from '../options.ts';

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly baseUrl?: string;
  readonly readOnly?: boolean;
  readonly logFormat?: 'text' | 'json';
  readonly metrics?: boolean;
}

export const command: Verb<ServeOptions> = {
  usage: 'serve',
  description: 'Serve the catalogue over HTTP.',
  on: 'folder',
  notes: 'The REST API is under /api/v1/. Ctrl-C stops the server.',
  examples: [
    'catalogue serve',
    'catalogue serve --data my-data --port 0',
    'catalogue serve --host 0.0.0.0 --port 80 --base-url https://data.example.org --read-only',
  ],
  options: () => [
    new Option('--host <address>', 'Address to listen at; 0.0.0.0 for every network.').default('127.0.0.1'),
    new Option('--port <number>', 'Port to listen at; 0 for any free one.')
      .default(8000)
      .argParser(wholeNumberParser(0, 65_535)),
    new Option('--base-url <url>', 'Public address of the server, for links in answers.').argParser(webAddress),
    new Option('--read-only', 'Refuse everything that would change the catalogue.'),
    new Option(
      '--log-format <format>',
      'Lines of text about problems (the default), or JSON about problems and every request.',
    ).choices(['text', 'json']),
    new Option('--metrics', 'Serve metrics for Prometheus at /metrics.'),
  ],
  async run({ context, show, folder }, _args, options) {
    // Problems are logged with --quiet, too.
    const log = (line: string) => context.err(`${line}\n`);
    // First, so that Ctrl-C isn't lost while the files are read.
    const interrupted = context.interrupted();
    const server = await context.serve({ ...options, folder: folder(), log });
    show.line(`Serving ${server.title} at ${server.url.replace(/\/$/, '')}/`);
    await interrupted;
    await server.close();
    return 0;
  },
};
