/** Files with several tables (sheets of a workbook, layers of a GeoPackage, shapefiles of an archive): one of them is read. */
import { closestWord } from '../../catalogue/closest.ts';
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';

/**
 * The layer to read: the one that people name, else the only one.
 * @param names of all layers that may be named
 * @param candidates those with rows; the only one is read if people name none
 * @param noun sheet, layer
 * @throws PayloadError that lists the layers
 */
export function chooseLayer(
  names: readonly string[],
  candidates: readonly string[],
  wanted: string | undefined,
  noun: string,
): string {
  if (wanted !== undefined) {
    const layer = names.find((name) => name === wanted) ?? names.find((name) => sameName(name, wanted));
    if (layer !== undefined) return layer;
    const meant = closestWord(wanted, names);
    const instead = meant ?? candidates[0] ?? names[0];
    const found =
      meant === undefined
        ? `. It has: ${listed(names)}. Name one of them`
        : `; did you mean "${excerpt(meant)}"? Name it`;
    throw new PayloadError(
      `there is no ${noun} "${excerpt(wanted)}"${instead === undefined ? '' : `${found}: --layer ${quoted(instead)}`}. ` +
        'A dataset remembers the name that was given last; to forget it: --layer ""',
    );
  }
  if (candidates.length === 1) return candidates[0] as string;
  if (candidates.length === 0) throw new PayloadError(`it has no ${noun} with rows`);
  throw new PayloadError(
    `it has ${candidates.length} ${noun}s, and a version is one of them: ${listed(candidates)}. Name it: --layer ${quoted(candidates[0] as string)}`,
  );
}

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(excerpt(name)));

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 20).map(quoted).join(', ');
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}
