/** Changes of a catalogue between two commits, as Markdown (of GitHub and GitLab) for a pull request. */
import type { EntityChange } from '../../catalogue/changes.ts';
import { excerpt } from '../../catalogue/errors.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import { changeDetails, changesSummary, datasetContentsText, plural } from './catalogue-changes.ts';

/** Number of lines up to which a list isn't folded. */
const maxUnfoldedLines = 10;
/** Maximum number of records of a kind that are shown: a summary on GitHub may have a megabyte. */
const maxRecords = 200;

/**
 * The document.
 * @param since the two sides; `to` null is the working tree
 */
export function changesMarkdown(
  since: { readonly from: string; readonly to: string | null },
  changes: readonly EntityChange[],
  unread: readonly { readonly path: string; readonly line: number; readonly message: string }[],
): string {
  const { from, to } = since;
  const parts = [
    '## Changes in the catalogue',
    `${capital(changesSummary(changes))}: ${code(from)} → ${to === null ? 'the working tree' : code(to)}.`,
  ];
  if (unread.length)
    parts.push(
      '### Broken files',
      list(unread.map(({ path, line, message }) => `${code(`${path}:${line}`)} ${code(message)}`)),
    );
  for (const kind of new Set(changes.map((entity) => entity.kind))) {
    const all = changes.filter((entity) => entity.kind === kind);
    const own = all.slice(0, maxRecords);
    const whole = own.filter(({ change }) => change !== 'changed').map(wholeLine);
    if (kind !== 'settings') parts.push(`### ${capital(plural[kind])}`);
    if (whole.length) parts.push(list(whole));
    for (const entity of own.filter(({ change }) => change === 'changed')) {
      const title = kind === 'settings' ? '### Settings' : `#### ${code(entity.name)}`;
      parts.push(`${title}${entity.was === null ? '' : `, was ${code(entity.was)}`}`);
      const details = changeDetails(entity, code);
      if (details.length) parts.push(list(details));
    }
    if (all.length > maxRecords) parts.push(`And ${all.length - maxRecords} more ${plural[kind]}.`);
  }
  return `${parts.join('\n\n')}\n`;
}

function wholeLine(entity: EntityChange): string {
  const { change, name, label } = entity;
  const content = datasetContentsText(entity);
  return `**${change}** ${code(name)}${label && ` ${code(label)}`}${content && `: ${content}`}`;
}

/** Lines as a list; a long one is folded. */
function list(lines: readonly string[]): string {
  const items = lines.map((line) => `- ${line}`).join('\n');
  return lines.length > maxUnfoldedLines
    ? `<details><summary>${lines.length} lines</summary>\n\n${items}\n\n</details>`
    : items;
}

/**
 * Text as code, so that nothing in it is markup, a mention or a number of an issue. Its fence is longer than any within
 * (CommonMark 0.31, section 6.1).
 */
function code(text: string): string {
  const line = escapeToOneLine(excerpt(text));
  if (line.trim() === '') return '(blank)';
  const fence = '`'.repeat(Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  const space = /^[` ]|[` ]$/.test(line) ? ' ' : '';
  return fence + space + line + space + fence;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
