/** Small checks that commands make before they open anything, and the addresses in what they print. */
import type { Catalogue, Input } from '../catalogue/catalogue.ts';
import { slugify } from '../catalogue/slug.ts';
import type { Links } from '../catalogue/urls.ts';
import { UsageError } from './errors.ts';

/** Addresses as the server would write them, as far as the catalogue knows its own. */
export const linksOf = (catalogue: Catalogue): Links => ({ base: catalogue.settings.base_url, suffix: '' });

/** @throws UsageError where an edit would change nothing because no field was given */
export function mustChange(input: Input): void {
  if (Object.keys(input).length === 0)
    throw new UsageError('Nothing to change: give at least one field, as in --label "New label". See --help.');
}

/** @throws UsageError where a name has to be derived from a label that has no letter or digit */
export function mustGiveSlug(label: string, usage: string): void {
  if (label.trim() !== '' && slugify(label) === '')
    throw new UsageError(`The label ${JSON.stringify(label)} makes no name. Give one: ${usage}`);
}
