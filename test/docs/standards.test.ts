/** The tables in docs/standards.md are those from which the documents are made. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  columnMapping,
  datasetMapping,
  distributionMapping,
  type MappingRow,
  type Standard,
  standardNames,
} from '../../src/standards/mapping.ts';

const standards = Object.keys(standardNames) as Standard[];

function tableOf(title: string, rows: readonly Pick<MappingRow<never>, 'fact' | 'terms'>[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line([title, ...standards.map((standard) => standardNames[standard])]),
    `|${'---|'.repeat(standards.length + 1)}`,
    ...rows.map(({ fact, terms }) =>
      line([fact, ...standards.map((standard) => (terms[standard] === undefined ? '' : `\`${terms[standard]}\``))]),
    ),
  ].join('\n');
}

it('docs/standards.md shows the mapping', () => {
  const path = fileURLToPath(new URL('../../docs/standards.md', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const tables = [
    tableOf('Dataset', datasetMapping),
    tableOf('File', distributionMapping),
    tableOf('Column', columnMapping),
  ].join('\n\n');
  const shown = text.replace(/(<!-- mapping -->\n)[\s\S]*(<!-- \/mapping -->)/, `$1${tables}\n$2`);
  if (process.env.UPDATE_DOCS) writeFileSync(path, shown);
  assert.equal(text, shown, 'run the test with UPDATE_DOCS=1 to write the tables');
});
