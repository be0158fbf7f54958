/** `catalogue remote`: names for remote catalogues. */
import { parseCatalogueUrl } from '../../catalogue/urls.ts';
import type { Call, Verb } from '../command.ts';
import { findCatalogueFolder } from '../folder.ts';
import { dryRunOption, yesOption } from '../options.ts';
import { confirmRemoval } from '../output/outcome.ts';
import {
  findOriginRemote,
  findPresentOrigin,
  listRemotesWithOrigin,
  originName,
  removeOrigin,
  updateOrigin,
} from '../remote/origin.ts';
import {
  isUnencrypted,
  type Remote,
  type Remotes,
  remotesAfterMove,
  remotesWith,
  remotesWithout,
  resolveRemote,
} from '../remote/remotes.ts';
import { changeRemotes, readRemotes } from '../remote/remotes-file.ts';

const add: Verb<{ dryRun?: boolean }> = {
  usage: 'add <name> <url>',
  description: 'Give a remote catalogue a name.',
  notes: 'The server is not contacted. To sign in: catalogue login <name>',
  examples: ['catalogue remote add prod https://data.example.org'],
  on: 'nothing',
  options: () => [dryRunOption()],
  async run({ context, show }, [name = '', given = ''], options) {
    const remote = { name, url: parseCatalogueUrl(given) };
    if (options.dryRun) {
      const planned = remotesWith(await readRemotes(context.env), remote);
      if (show.asJson) show.json(objectOf(planned)(remote));
      show.planned(`Would add remote ${name}: ${remote.url}`);
      return 0;
    }
    const data = await changeRemotes(context.env, (before) => remotesWith(before, remote));
    if (show.asJson) show.json(objectOf(data)(remote));
    show.message(`Added remote ${name}: ${remote.url}`);
    if (isUnencrypted(remote.url)) show.message(unencrypted);
    return 0;
  },
};

const list: Verb = {
  usage: 'list',
  description: 'List the remotes and the users who are signed in; tokens are not shown.',
  notes: 'In a clone, "origin" is the remote that it was cloned from, unless its address has another name.',
  examples: ['catalogue remote list', 'catalogue remote list --json'],
  on: 'nothing',
  async run(call) {
    const { context, show } = call;
    const data = await readRemotes(context.env);
    const remotes = await listRemotesWithOrigin(findRoot(call), data);
    const nameless = data.logins.filter(({ url }) => !remotes.some((remote) => remote.url === url));
    const objects = [...remotes, ...nameless.map(({ url }) => ({ name: null, url }))].map(objectOf(data));
    if (show.asJson) show.json(objects);
    else if (show.forPeople && objects.length === 0)
      show.message('No remotes. Add one with: catalogue remote add NAME URL');
    else
      show.table(
        ['NAME', 'URL', 'SIGNED IN AS'],
        objects.map(({ name, url, user }) => [name ?? '', url, user ?? '']),
      );
    return 0;
  },
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <name>',
  description: 'Remove a remote and its token from this computer. The server is not contacted.',
  notes: 'In a clone, "origin" is the remote that it was cloned from: then pull and push need --remote.',
  examples: ['catalogue remote remove prod', 'catalogue remote remove prod --yes'],
  on: 'nothing',
  options: () => [yesOption(), dryRunOption()],
  async run(call, [name = ''], options) {
    const { context, show } = call;
    const data = await readRemotes(context.env);
    const root = findRoot(call);
    const origin = name === originName ? await findOriginRemote(root, data) : null;
    const remote = origin ?? resolveRemote(data, name);
    if (options.dryRun) {
      show.planned(`Would remove remote ${remote.name}: ${remote.url}`);
      return 0;
    }
    await confirmRemoval(call, `remote ${remote.name}`, options.yes);
    if (origin && root !== null) await removeOrigin(root);
    await changeRemotes(context.env, (now) => remotesWithout(now, remote));
    show.message(`Removed remote ${remote.name}: ${remote.url}`);
    return 0;
  },
};

const setUrl: Verb<{ dryRun?: boolean }> = {
  usage: 'set-url <name> <url>',
  description: 'Change the address of a remote: its server has moved.',
  notes:
    'The sign-in is kept. Folders that were cloned from the old address pull from and push to the new one, and keep what ' +
    'was last the same on both sides. The server is not contacted. A remote without a name is named by its address; in a ' +
    'cloned folder, "origin" is the remote that it was cloned from.',
  examples: [
    'catalogue remote set-url prod https://data.example.org',
    'catalogue remote set-url origin https://data.example.org',
    'catalogue remote set-url https://old.example.org https://new.example.org',
  ],
  on: 'nothing',
  options: () => [dryRunOption()],
  async run(call, [name = '', given = ''], options) {
    const { context, show } = call;
    const to = parseCatalogueUrl(given);
    const root = findRoot(call);
    const before = await readRemotes(context.env);
    const { name: found, url: from } = await resolveRemoteToMove(before, name, to, root);
    const showRemote = (data: Remotes) => {
      if (show.asJson) show.json(objectOf(data)({ name: found === from ? null : found, url: to }));
    };
    if (from === to) {
      showRemote(before);
      show.message(`Remote ${found} has this address already: ${to}`);
      return 0;
    }
    if (options.dryRun) {
      showRemote(remotesAfterMove(before, { from, to }));
      show.planned(`Would change the address of remote ${found} from ${from} to ${to}`);
      return 0;
    }
    const data = await changeRemotes(context.env, (now) => remotesAfterMove(now, { from, to }));
    if (root !== null) await updateOrigin(root, context.env);
    showRemote(data);
    show.message(`Changed the address of remote ${found} from ${from} to ${to}`);
    if (isUnencrypted(to)) show.message(unencrypted);
    return 0;
  },
};

/**
 * The remote of a name or address; `origin` is also the remote that the folder was cloned from, unless a remote at another
 * address than the new one has that name.
 * @throws NotFoundError, UsageError
 */
async function resolveRemoteToMove(
  data: Remotes,
  name: string,
  to: string,
  root: string | null,
): Promise<{ readonly name: string; readonly url: string }> {
  const origin = root === null ? null : await findPresentOrigin(root, data);
  if (origin === null) return resolveRemote(data, name);
  const own: Remote = { name: originName, url: origin.url };
  const named = data.remotes.find((remote) => remote.name === own.name);
  if (name === own.name && (named === undefined || named.url === to)) return own;
  return resolveRemote({ ...data, remotes: [...data.remotes, ...(named ? [] : [own])] }, name);
}

/** Absolute path of the catalogue folder; null outside of a catalogue. */
const findRoot = ({ context, global }: Call) => findCatalogueFolder(global.data, context.cwd, context.env);

const unencrypted = 'With http://, passwords and tokens can be read on the way. Use https:// where you sign in.';

/** The public facts of a remote, without the token. */
const objectOf =
  ({ logins }: Remotes) =>
  ({ name, url }: Omit<Remote, 'name'> & { readonly name: string | null }) => {
    const login = logins.find((one) => one.url === url);
    return { name, url, user: login?.user ?? null, expires: login?.expires ?? null };
  };

export const verbs = [add, list, setUrl, remove] as readonly Verb[];
