/**
 * Tables in docs/ that are made of the program: all commands in docs/commands.md, all addresses in docs/api.md. With
 * `UPDATE_DOCS=1` the test writes them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { outputFormats } from '../../src/catalogue/output-formats.ts';
import { schemas } from '../../src/catalogue/schemas.ts';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { nouns } from '../../src/cli/program.ts';
import { describedOperation } from '../../src/server/openapi/operations.ts';
import { routes } from '../../src/server/routes.ts';
import { declaredCommands } from './declared-commands.ts';
import { assertGenerated, cell, readDocs, tableOf } from './generated.ts';

/** A row for each command: how it is typed, what it does, its own options. */
function commandRows(command: Command, path: string): string[][] {
  const name = path ? `${path} ${command.name()}` : command.name();
  if (command.commands.length > 0) return command.commands.flatMap((one) => commandRows(one, name));
  const args = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  const own = command.options.filter(({ helpGroupHeading }) => !/everywhere/.test(helpGroupHeading ?? ''));
  const options = own.map(({ long, short }) => `\`${long ?? short}\``);
  return [[`\`${[name, ...args].join(' ')}\``, cell(command.summary() || command.description()), options.join(' ')]];
}

const dataset = '/api/v1/namespaces/:namespace/datasets/:dataset/';
/** Records below whose address the same addresses lie, the longest first. */
const places: readonly (readonly [string, string])[] = [
  ['version', `${dataset}version/:version/`],
  ['dataset', dataset],
  ['query', '/api/v1/queries/:query/'],
  ['namespace', '/api/v1/namespaces/:namespace/'],
];
const written = (path: string) => path.replace(/[:*](\w+)/g, '<$1>');

/** A row for each address, with what its first method does; addresses below several kinds of records are one row. */
function addressRows(): string[][] {
  const rows = new Map<string, { of: string[]; methods: string; summary: string }>();
  for (const route of routes) {
    const { path, name, handlers } = route;
    // Each has a page of its own.
    if (/^\/(ogc|docs)\/./.test(path)) continue;
    const [place, root = ''] = places.find(([, one]) => path.startsWith(one) && path !== one) ?? [];
    const isBelow = place !== undefined && !/\/(datasets|version)\/(:\w+\/)?$/.test(path);
    const address = isBelow ? `…/${written(path.slice(root.length))}` : written(path);
    const methods = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) => handlers[method]);
    const [described] = methods.flatMap((method) => describedOperation(name, method) ?? []);
    const summary = (typeof described === 'function' ? described(route) : described)?.summary ?? name;
    const row = rows.get(address) ?? { of: [], methods: methods.join(', '), summary: cell(summary) };
    rows.set(address, { ...row, of: isBelow ? [...row.of, place] : row.of });
  }
  return [...rows].map(([address, { of, methods, summary }]) => [`\`${address}\``, of.join(', '), methods, summary]);
}

interface Described {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
}

/** A row for each key of catalogue.yaml: what it means, and what counts without it. */
function settingRows(described: Described, defaults: Readonly<Record<string, unknown>>, prefix = ''): string[][] {
  return Object.entries(described.properties ?? {}).flatMap(([key, field]) => {
    if (field.properties) return settingRows(field, {}, `${prefix}${key}: `);
    const value = defaults[key] ?? field.default;
    const isGiven = value !== undefined && typeof value !== 'object' && value !== '';
    return [[`\`${prefix}${key}\``, cell(field.description ?? ''), isGiven ? `\`${value}\`` : '']];
  });
}

describe('docs/', () => {
  it('commands.md lists every command with its options', async () => {
    const program = await declaredCommands();
    const rows = program.commands.flatMap((command) => commandRows(command, 'catalogue'));
    assertGenerated(
      'commands.md',
      'commands',
      tableOf([['Command', 'What it does', 'Options'], ['---', '---', '---'], ...rows]),
    );
  });

  it('api.md lists every address', () => {
    assertGenerated(
      'api.md',
      'addresses',
      tableOf([['Address', 'Below a', 'Methods', 'What GET does'], ['---', '---', '---', '---'], ...addressRows()]),
    );
  });

  it('folder.md lists every key of catalogue.yaml', () => {
    const rows = settingRows(schemas.settings as Described, { ...settingsFromRecord({}) });
    assert.ok(rows.length > 20);
    assertGenerated(
      'folder.md',
      'settings',
      tableOf([['Key', 'Meaning', 'Without it'], ['---', '---', '---'], ...rows]),
    );
  });

  it('harvesting.md names the lengths of pages', () => {
    const { page_size, max_page_size } = settingsFromRecord({});
    const row = readDocs('harvesting.md').match(/^\| `\?page=.*`\?page_size=.*$/m)?.[0] ?? '';
    for (const length of [page_size, max_page_size]) assert.ok(row.includes(length.toLocaleString('en')), row);
  });

  it('remotes.md names the commands that work on a folder only', async () => {
    const [, named = ''] = /These work\son\sa folder only: ([^.]*)\./.exec(readDocs('remotes.md')) ?? [];
    const found: string[] = [];
    for (const [noun, { load }] of Object.entries(nouns)) {
      const loaded = await load();
      const verbs = 'command' in loaded ? [loaded.command] : loaded.verbs;
      if (verbs.every(({ on }) => on === 'folder')) found.push(noun);
    }
    assert.deepEqual([...named.matchAll(/`([a-z]+)`/g)].map(([, name]) => name).sort(), found.sort());
  });

  it('querying.md names every format that is written (test/cli/help.test.ts: those that are read)', () => {
    const querying = readDocs('querying.md');
    for (const name of Object.keys(outputFormats)) assert.ok(querying.includes(`\`${name}\``), name);
  });
});
