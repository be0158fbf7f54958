/** `edit` without a field: the record's own text in an editor. Comments and keys of one's own are kept as they are typed. */

import { createHash } from 'node:crypto';
import { text as textOf } from 'node:stream/consumers';
import type { Catalogue, Input } from '../../catalogue/catalogue.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { recordPaths } from '../../catalogue/layout.ts';
import { formatRef, type Refs, refOf } from '../../catalogue/ref.ts';
import type { Replica } from '../../catalogue/replica.ts';
import type { Entities } from '../../catalogue/types.ts';
import type { Call } from '../command.ts';
import { find, findVersion } from '../naming.ts';
import { tell } from '../output/outcome.ts';
import { editText } from './edit-text.ts';

type Named = Refs['namespace' | 'dataset' | 'version' | 'query' | 'group' | 'user'];

/** What the help says of it. */
export const editorNote = 'Without a field, it opens $VISUAL or $EDITOR on the record itself, and saves what is valid.';

/** Whether somebody who gave no field sits at a terminal, where an editor can be opened. */
export function wantsEditor({ context }: Call, input: Input, { dryRun }: { readonly dryRun?: boolean }): boolean {
  return Object.keys(input).length === 0 && !dryRun && context.isTerminal.in && context.isTerminal.out;
}

/**
 * Opens an editor on a record and saves what comes of it, unless the record has changed meanwhile.
 * @param represent makes the API's object
 * @throws NotFoundError, StaleError, NotPermittedError; DeclinedError where the person gave up
 */
export async function editRecord<R extends Named>(
  call: Call,
  asked: R,
  represent: (entity: Entities[R['kind']], catalogue: Catalogue) => unknown,
): Promise<number> {
  const catalogue = await call.open();
  const { replica: depot } = catalogue;
  const { ref, path } = await recordOf(call, catalogue, asked);
  const text = await textOf(await depot.read(path));
  const ifMatch = createHash('sha256').update(text).digest('hex');
  const isChanged = await editText(call.context, {
    path,
    text,
    async save(typed) {
      const [outcome] = await depot.apply([{ do: 'write', path, text: typed, ifMatch }]);
      if (outcome && !outcome.done) throw outcome.error;
    },
  });
  if (!isChanged) {
    call.show.message(`Nothing changed: ${ref.kind} ${formatRef(ref)} is as it was.`);
    return 0;
  }
  const entity = (await catalogue.get<Named['kind']>(ref)) as Entities[R['kind']];
  tell(call, { done: ['Changed', 'change'], ref, object: represent(entity, catalogue) });
  return 0;
}

/**
 * Where the record lies. A broken one is found as well: an editor is what mends it.
 * @throws NotFoundError that says what was probably meant
 */
async function recordOf(call: Call, catalogue: Catalogue, asked: Named): Promise<{ ref: Named; path: string }> {
  const isNamed = asked.kind !== 'version' || asked.slug !== 'latest';
  const path = isNamed ? await pathOf(catalogue.replica, asked) : undefined;
  if (path !== undefined) return { ref: asked, path };
  const ref =
    asked.kind === 'version'
      ? (await findVersion(catalogue, asked, call.show)).ref
      : (refOf(await find(catalogue, asked, call.show)) as Named);
  const found = await pathOf(catalogue.replica, ref);
  if (found === undefined) throw new NotFoundError(`The file of ${ref.kind} ${formatRef(ref)} may not be read.`);
  return { ref, path: found };
}

/** Undefined where there is none, or none that may be seen. */
async function pathOf(depot: Replica, ref: Named): Promise<string | undefined> {
  for (const path of recordPaths(ref)) {
    const entry = await depot.entry(path).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    if (entry) return path;
  }
  return undefined;
}
