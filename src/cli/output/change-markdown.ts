/** Changes of a catalogue between two commits, as Markdown (of GitHub and GitLab) for a pull request. */
import type { EntityChange } from '../../catalogue/changes.ts';
import { excerpt } from '../../catalogue/errors.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import { changeDetails, changesSummary, datasetContentsText, plural } from './catalogue-changes.ts';

/** Longer lists are folded. */
const openLines = 10;
/** The most records of a kind that are shown: a summary on GitHub may have a megabyte. */
const most = 200;

/**
 * The document.
 * @param since the two sides; `to` null is the working tree
 */
export function changesMarkdown(
  since: { readonly from: string; readonly to: string | null },
  things: readonly EntityChange[],
  unread: readonly { readonly path: string; readonly line: number; readonly message: string }[],
): string {
  const { from, to } = since;
  const parts = [
    '## Changes in the catalogue',
    `${capital(changesSummary(things))}: ${code(from)} → ${to === null ? 'the working tree' : code(to)}.`,
  ];
  if (unread.length)
    parts.push(
      '### Broken files',
      list(unread.map(({ path, line, message }) => `${code(`${path}:${line}`)} ${code(message)}`)),
    );
  for (const kind of new Set(things.map((thing) => thing.kind))) {
    const all = things.filter((thing) => thing.kind === kind);
    const own = all.slice(0, most);
    const whole = own.filter(({ change }) => change !== 'changed').map(wholeLine);
    if (kind !== 'settings') parts.push(`### ${capital(plural[kind])}`);
    if (whole.length) parts.push(list(whole));
    for (const thing of own.filter(({ change }) => change === 'changed')) {
      const title = kind === 'settings' ? '### Settings' : `#### ${code(thing.name)}`;
      parts.push(`${title}${thing.was === null ? '' : `, was ${code(thing.was)}`}`);
      const details = changeDetails(thing, code);
      if (details.length) parts.push(list(details));
    }
    if (all.length > most) parts.push(`And ${all.length - most} more ${plural[kind]}.`);
  }
  return `${parts.join('\n\n')}\n`;
}

function wholeLine(thing: EntityChange): string {
  const { change, name, label } = thing;
  const content = datasetContentsText(thing);
  return `**${change}** ${code(name)}${label && ` ${code(label)}`}${content && `: ${content}`}`;
}

/** Lines as a list; a long one is folded. */
function list(lines: readonly string[]): string {
  const items = lines.map((line) => `- ${line}`).join('\n');
  return lines.length > openLines
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
