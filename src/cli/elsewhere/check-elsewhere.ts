/** `catalogue check` of a catalogue elsewhere: what its server finds wrong with the files while it reads them. */
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { collect } from '../collect.ts';
import type { CheckReport } from '../context.ts';

export async function checkElsewhere(catalogue: Catalogue): Promise<CheckReport> {
  const count = async (filters: Readonly<Record<string, readonly string[]>>) =>
    (await catalogue.list('file', { filters, pageSize: 1 })).count;
  const [invalid, all, payloads] = await Promise.all([
    collect(catalogue, 'file', { filters: { status: ['invalid'] } }),
    count({}),
    count({ kind: ['payload'] }),
  ]);
  const problems = invalid.flatMap((file) => file.problems.map((problem) => ({ ...problem, fixable: false })));
  return { problems, fixed: [], files: all - payloads };
}
