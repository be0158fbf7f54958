/** `catalogue user`: who may sign in. */
import { Option } from 'commander';
import { orderFields } from '../../catalogue/facets.ts';
import { parseUsername } from '../../catalogue/ref.ts';
import { representUser } from '../../catalogue/represent.ts';
import type { User } from '../../catalogue/types.ts';
import { collect } from '../collect.ts';
import type { Verb } from '../command.ts';
import { editorNote, editRecord, wantsEditor } from '../editing/edit-record.ts';
import { fieldOptions, filterOptions, filtersFrom, inputFrom } from '../fields.ts';
import { linksOf, mustChange } from '../input.ts';
import { find, reach } from '../naming.ts';
import { dryRun, limit, ordering, search, yes } from '../options.ts';
import { confirmRemoval, tell } from '../output/outcome.ts';
import { accountsOf, newPassword } from '../people.ts';
import { rehearsal } from '../rehearsal.ts';
import { claim } from '../taken.ts';

const fromStdin = () =>
  new Option('--password-stdin', 'Read the password from stdin, so that no history or list of processes shows it.');

interface AddOptions {
  readonly passwordStdin?: boolean;
  readonly dryRun?: boolean;
}

const add: Verb<AddOptions> = {
  usage: 'add <username>',
  description: 'Add a user.',
  notes: 'Without a password, the user signs in with tokens only. See: catalogue user passwd, catalogue token add.',
  examples: [
    'catalogue user add alice --name "Alice Liddell" --email alice@example.org --staff true',
    'catalogue user add bob --group gardeners --password-stdin',
  ],
  options: () => [...fieldOptions('user', true), fromStdin(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseUsername(name);
    const password = options.passwordStdin ? { password: await newPassword(call, ref.slug, true) } : {};
    const input = { username: ref.slug, ...(await inputFrom('user', { ...options }, call.context)), ...password };
    const catalogue = await call.open();
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const user = await claim(catalogue, ref, () => writes.create('user', input));
    const object = representUser(user, linksOf(catalogue), true);
    tell(call, { done: ['Added', 'add'], ref: user, object, dryRun: options.dryRun });
    return 0;
  },
};

const list: Verb<{ search?: string; ordering?: string; limit?: number }> = {
  usage: 'list',
  description: 'List the users.',
  examples: ['catalogue user list', 'catalogue user list --group gardeners --json'],
  options: () => [search(), ...filterOptions('user'), ordering(Object.keys(orderFields.user)), limit()],
  async run(call, _args, options) {
    const { show } = call;
    const catalogue = await call.open();
    const filters = filtersFrom('user', { ...options });
    const question = { search: options.search, ordering: options.ordering, filters };
    const users = await collect(catalogue, 'user', question, options.limit);
    if (show.asJson) show.json(users.map((user) => representUser(user, linksOf(catalogue), true)));
    else if (show.forPeople && users.length === 0) show.message('No users.');
    else show.table(['USER', 'NAME', 'EMAIL', 'STAFF', 'GROUPS'], users.map(row));
    return 0;
  },
};

const row = ({ slug, name, email, staff, groups }: User) => [slug, name, email, staff ? 'yes' : '', groups.join(', ')];

const show: Verb = {
  usage: 'show <username>',
  description: 'Show one user.',
  examples: ['catalogue user show alice'],
  async run(call, [name = '']) {
    const catalogue = await call.open();
    const user = await find(catalogue, parseUsername(name), call.show);
    if (call.show.asJson) call.show.json(representUser(user, linksOf(catalogue), true));
    else
      call.show.fields([
        ['user', user.slug],
        ['id', String(user.id)],
        ['name', user.name],
        ['email', user.email],
        ['staff', user.staff ? 'yes' : ''],
        ['groups', user.groups.join(', ')],
      ]);
    return 0;
  },
};

const edit: Verb<{ dryRun?: boolean }> = {
  usage: 'edit <username>',
  description: 'Change the fields of a user that are given, and no others.',
  notes: `A user keeps the username. ${editorNote}`,
  examples: [
    'catalogue user edit bob',
    'catalogue user edit bob --group gardeners --group editors',
    'catalogue user edit alice --staff false',
  ],
  options: () => [...fieldOptions('user', false), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseUsername(name);
    const input = await inputFrom('user', { ...options }, call.context);
    if (wantsEditor(call, input, options))
      return editRecord(call, ref, (it, catalogue) => representUser(it, linksOf(catalogue), true));
    mustChange(input);
    const catalogue = await call.open();
    const writes = options.dryRun ? rehearsal(catalogue) : catalogue;
    const user = await reach(catalogue, ref, () => writes.edit<'user'>(ref, input));
    const object = representUser(user, linksOf(catalogue), true);
    tell(call, { done: ['Changed', 'change'], ref, object, dryRun: options.dryRun });
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <username>',
  description: 'Remove a user, with password and tokens.',
  examples: ['catalogue user remove bob', 'catalogue user remove bob --yes'],
  options: () => [yes(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseUsername(name);
    const catalogue = await call.open();
    await reach(catalogue, ref, () => catalogue.get<'user'>(ref));
    if (!options.dryRun) {
      await confirmRemoval(call, `user ${ref.slug} with password and tokens`, options.yes);
      await reach(catalogue, ref, () => catalogue.remove(ref));
    }
    tell(call, { done: ['Removed', 'remove'], ref, dryRun: options.dryRun });
    return 0;
  },
};

const passwd: Verb<AddOptions> = {
  usage: 'passwd <username>',
  description: 'Give a user a new password.',
  notes: 'It is asked for twice and not shown. Whoever is logged in with the old one no longer is; tokens stay valid.',
  examples: ['catalogue user passwd alice', 'catalogue user passwd alice --password-stdin'],
  options: () => [fromStdin(), dryRun()],
  async run(call, [name = ''], options) {
    const ref = parseUsername(name);
    const accounts = await accountsOf(call, ref);
    const part = 'the password of';
    if (!options.dryRun) {
      const password = await newPassword(call, ref.slug, options.passwordStdin ?? false);
      await accounts.setPassword(ref.slug, password);
    }
    tell(call, { done: ['Changed', 'change'], part, ref, dryRun: options.dryRun });
    const { length } = await accounts.tokens(ref.slug);
    if (length && !options.dryRun)
      call.show.message(
        `${length === 1 ? 'A token stays' : `${length} tokens stay`} valid. See: catalogue token list ${ref.slug}`,
      );
    return 0;
  },
};

export const verbs: readonly Verb[] = [add, list, show, edit, passwd, remove];
