/** `catalogue trash`: removed records, which can be restored. */
import { Option } from 'commander';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { fieldsOf } from '../../catalogue/fields.ts';
import { formatRef, type Refs } from '../../catalogue/ref.ts';
import { nameInReferences, refNamed } from '../../catalogue/references-to.ts';
import { representTrashEntry } from '../../catalogue/represent.ts';
import { isTrashEntryOlder, type TrashEntry } from '../../catalogue/trash.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { optionFlag } from '../fields.ts';
import { dryRunOption, parseAge, yesOption } from '../options.ts';
import { confirmRemoval, linksOfCatalogue } from '../output/outcome.ts';
import { countText } from '../output/quantities.ts';
import { quoteForShell, typedCommand } from '../typed-command.ts';

const list: Verb = {
  usage: 'list',
  description: 'List what is in the trash, the latest removal first.',
  examples: ['catalogue trash list', 'catalogue trash list --json'],
  async run(call) {
    const { show } = call;
    const catalogue = await call.open();
    const entries = await catalogue.trash.list();
    if (show.asJson) show.json(entries.map((entry) => representTrashEntry(entry, linksOfCatalogue(catalogue))));
    else if (show.forPeople && entries.length === 0) show.message('The trash is empty.');
    else show.table(['ENTRY', 'KIND', 'NAME', 'REMOVED', 'BY'], entries.map(row(show.forPeople)));
    return 0;
  },
};

const restore: Verb<{ dryRun?: boolean }> = {
  usage: 'restore <entry>',
  description: 'Restore something to its place, byte for byte.',
  notes: 'If several had the same name, the one removed last is restored; for another one, give the id of its entry.',
  examples: ['catalogue trash restore parks/trees', 'catalogue trash restore 20200102030405678-0123abcd'],
  options: () => [dryRunOption()],
  async run(call, [name = ''], options) {
    const { show } = call;
    const catalogue = await call.open();
    const removed = entryNamed(call, name, await catalogue.trash.list());
    const entry = await catalogue.trash.restore(removed.id, { dryRun: options.dryRun });
    const [former, present] = [nameOf(removed), nameOf(entry)];
    const what = former === present ? former : `${former} as ${formatRef(entry.ref)}`;
    if (show.asJson) show.json(representTrashEntry(entry, linksOfCatalogue(catalogue)));
    else if (options.dryRun) show.line(`Would restore ${what}`);
    else if (!show.forPeople) show.line(formatRef(entry.ref));
    if (options.dryRun) return 0;
    show.message(`Restored ${what}.`);
    // It is restored: that a remote doesn't say more is no failure.
    for (const warning of await warningsOfMissingMembers(call, catalogue, entry.ref).catch(() => []))
      show.message(warning);
    return 0;
  },
};

const empty: Verb<{ olderThan?: number; yes?: boolean; dryRun?: boolean }> = {
  usage: 'empty',
  description: 'Delete what is in the trash, for good.',
  examples: ['catalogue trash empty --older-than 30d --yes', 'catalogue trash empty --dry-run'],
  options: () => [
    new Option('--older-than <age>', 'Only what was removed longer ago: 30d, 12h, 2w.').argParser(parseAge),
    yesOption(),
    dryRunOption(),
  ],
  async run(call, _args, { olderThan = 0, ...options }) {
    const { show } = call;
    // Before the year 0, a time has another form in ISO 8601.
    const before = new Date(Math.max(0, Date.now() - olderThan));
    const catalogue = await call.open();
    const meant = (await catalogue.trash.list()).filter(({ id }) => isTrashEntryOlder(id, before));
    const showJson = (entries: readonly TrashEntry[]) =>
      show.json(entries.map((entry) => representTrashEntry(entry, linksOfCatalogue(catalogue))));
    if (options.dryRun) {
      if (show.asJson) showJson(meant);
      else for (const entry of meant) show.line(`Would delete ${nameOf(entry)}, removed ${entry.removed}`);
      return 0;
    }
    if (meant.length)
      await confirmRemoval(call, `${countText(meant.length, 'thing')} in the trash for good`, options.yes);
    const gone = await catalogue.trash.empty(before);
    if (show.asJson) showJson(gone);
    show.message(gone.length ? `Deleted ${countText(gone.length, 'thing')}.` : 'Nothing to delete.');
    return 0;
  },
};

/** Warnings of groups and users that a restored record names, and that were removed meanwhile, with what to type. */
async function warningsOfMissingMembers(
  call: Call,
  catalogue: Catalogue,
  ref: TrashEntry['ref'],
): Promise<readonly string[]> {
  if (ref.kind !== 'namespace' && ref.kind !== 'dataset' && ref.kind !== 'user') return [];
  const entity: object = await catalogue.get(ref as Refs['namespace' | 'dataset' | 'user']);
  const warnings: string[] = [];
  for (const { name: field, link } of fieldsOf(ref.kind)) {
    const names = (entity as Readonly<Record<string, unknown>>)[field];
    if (link !== 'group' || !Array.isArray(names)) continue;
    const missing = await missingAmong(catalogue, names.map(String));
    if (missing.length === 0) continue;
    const left = names.map(String).filter((name) => !missing.includes(name));
    const options = (left.length ? left : ['']).map((name) => `${optionFlag(field, true)} ${quoteForShell(name)}`);
    const removed = await catalogue.trash.list();
    const restoring = missing.flatMap((name) => {
      const entry = removed.find((one) => nameInReferences(one.ref) === name);
      return entry ? [typedCommand(call, 'trash restore', [entry.id])] : [];
    });
    const edit = typedCommand(call, `${ref.kind} edit ${formatRef(ref)} ${options.join(' ')}`);
    warnings.push(
      `Warning: ${field} of it that were removed meanwhile: ${missing.join(', ')}. A later namesake would have their rights. ` +
        `To leave ${missing.length === 1 ? 'it' : 'them'} out: ${edit}` +
        (restoring.length
          ? `, or to restore ${restoring.length === 1 ? 'it' : 'them'}: ${restoring.join(' and ')}`
          : ''),
    );
  }
  return warnings;
}

/** Names of groups and users in a list that the catalogue lacks. */
async function missingAmong(catalogue: Catalogue, names: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of names)
    await catalogue.get(refNamed(name)).catch((error) => {
      if (!(error instanceof NotFoundError)) throw error;
      missing.push(name);
    });
  return missing;
}

const nameOf = ({ ref }: TrashEntry) => `${ref.kind} ${formatRef(ref)}`;

const row =
  (forPeople: boolean) =>
  ({ id, ref, removed, by }: TrashEntry) => [
    id,
    ref.kind,
    formatRef(ref),
    forPeople ? removed.slice(0, 16).replace('T', ' ') : removed,
    by ?? '',
  ];

/**
 * The entry with this id, or the newest one of this name.
 * @throws NotFoundError; UsageError if records of different kinds had the name
 */
function entryNamed(call: Call, name: string, entries: readonly TrashEntry[]): TrashEntry {
  const byId = entries.find(({ id }) => id === name);
  if (byId) return byId;
  const [newest, ...others] = entries.filter(({ ref }) => formatRef(ref) === name);
  if (!newest)
    throw new NotFoundError(`Nothing in the trash is called ${name}. See: ${typedCommand(call, 'trash list')}`);
  const other = others.find(({ ref }) => ref.kind !== newest.ref.kind);
  if (!other) return newest;
  const [one, another] = [newest, other].map(({ id }) => typedCommand(call, 'trash restore', [id]));
  throw new UsageError(`A ${newest.ref.kind} and a ${other.ref.kind} had that name. Say which: ${one}, or ${another}`);
}

export const verbs = [list, restore, empty] as readonly Verb[];
