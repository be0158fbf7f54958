/** How the rows of two versions elsewhere differ. */
import type { Difference, DifferenceOptions, RowChange } from '../catalogue/difference.ts';
import { formatRef } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import { pathOf } from '../catalogue/urls.ts';
import { linesOf } from './bytes.ts';
import type { Http } from './http.ts';
import { refOfEntity, strange } from './read.ts';

/** The counts come at once; the rows, where they are read, as they are made. The signal lets go of what isn't read. */
export async function differenceOf(
  http: Http,
  from: Version,
  to: Version,
  { key, signal }: DifferenceOptions = {},
): Promise<Difference> {
  const request = {
    path: `${pathOf(refOfEntity<'version'>(to))}diff/`,
    query: [
      ['_from', formatRef(refOfEntity<'version'>(from))],
      ...(key ? [['_key', key.map(quoted).join(',')]] : []),
      ['_format', 'ndjson'],
    ] as [string, string][],
    headers: { 'accept-encoding': 'gzip' },
    signal,
  };
  const open = async () => linesOf((await http.ask(request)).body);
  const lines = await open();
  const first = await lines.next();
  const head = objectIn<Pick<Difference, 'columns' | 'key' | 'counts'>>(first.done ? '' : first.value);
  if (!head.columns || !head.counts) throw strange('counts');
  let rest: AsyncGenerator<string, void, undefined> | undefined = lines;
  return {
    ...head,
    from,
    to,
    async *rows() {
      // Once they are those that came with the counts; again, they are asked for again.
      const own = rest ?? (await open());
      if (rest === undefined) await own.next();
      rest = undefined;
      for await (const line of own) yield objectIn<RowChange>(line);
    },
  };
}

function objectIn<T>(line: string): T {
  try {
    return Object(JSON.parse(line));
  } catch {
    throw strange('rows');
  }
}

/** A column's name in a list, as the parameters of addresses write it: a plain one as it is, others in quotes. */
const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
