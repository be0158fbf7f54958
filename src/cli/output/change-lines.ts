/** What a branch changes, as lines for a terminal or a pipe. */
import type { ThingChange } from '../../catalogue/changes.ts';
import { contentOf, detailsOf } from './catalogue-changes.ts';
import { oneLine } from './text.ts';

const marks = { added: '+', removed: '-', changed: '~' } as const;
/** Longest text of a value that is shown to people. */
const longest = 60;

/**
 * The lines: one for each thing, and below it one for each difference.
 * @param forPeople cuts long values; programs get all of them
 */
export function catalogueChangeLines(things: readonly ThingChange[], forPeople: boolean): readonly string[] {
  const quote = (text: string) => (forPeople && text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
  return things.flatMap((thing) => {
    const { kind, change, name, was, label } = thing;
    const title = [kind, name].filter(Boolean).join(' ') + (was === null ? '' : `, was ${was}`);
    if (change === 'changed')
      return [`~ ${title}`, ...detailsOf(thing, quote).map((line) => `    ${line}`)].map(oneLine);
    const content = contentOf(thing);
    return [oneLine(`${marks[change]} ${title}${label && ` "${quote(label)}"`}${content && `: ${content}`}`)];
  });
}
