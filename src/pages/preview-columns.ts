/** The columns of a table that say most, for its first rows. */
import { type ColumnProfile, statisticsInMetadata, type VersionProfile } from '../catalogue/column-statistics.ts';
import type { Column, Version } from '../catalogue/types.ts';
import { keepLast } from './keep-last.ts';

/** Columns that a page lists, or offers to choose from: a table may have ten thousand. */
export const mostListedColumns = 1000;

/** Columns that are looked at: the first ones. */
const mostScored = 500;

/** The columns to show first, in their order. @param profiles by name, as far as they are known */
export const choosePreviewColumns = keepLast(function choose(
  columns: readonly Column[],
  profiles: ReadonlyMap<string, Partial<ColumnProfile>>,
  rows: number,
  most: number,
): readonly Column[] {
  const plain = columns.filter(({ type }) => type !== 'geometry');
  if (plain.length <= most) return plain;
  const scored = plain
    .slice(0, mostScored)
    .map((column, at) => ({ column, at, score: scoreOf(column, profiles.get(column.name), rows) }))
    .sort((a, b) => b.score - a.score || a.at - b.at);
  // A near-copy of a column that is shown says nothing new.
  const seen = new Set<string>();
  const distinct: typeof scored = [];
  const copies: typeof scored = [];
  for (const one of scored) {
    const sample = sampleOf(profiles.get(one.column.name));
    (sample !== '' && seen.has(sample) ? copies : distinct).push(one);
    seen.add(sample);
  }
  const chosen = [...distinct, ...copies].slice(0, most);
  return chosen.sort((a, b) => a.at - b.at).map(({ column }) => column);
});

/** The first texts of a column that has names; '' for others. */
const sampleOf = ({ examples, top }: Partial<ColumnProfile> = {}): string => {
  const texts = examples ?? (top ?? []).slice(0, 2).map(({ value }) => value);
  return typeof texts[0] === 'string' ? String(texts[0]).toLowerCase() : '';
};

/** Codes, addresses and identifiers say little to people. */
const looksLikeCode = /(^|_)(id|ids|uuid|guid|code|url|uri|hash|key)$|_?(url|uri)_?|^(iso|fips|wikidata)/i;

function scoreOf({ name, type, unit }: Column, profile: Partial<ColumnProfile> | undefined, rows: number): number {
  const { nulls = 0, distinct, examples, top, min } = profile ?? {};
  const filled = rows > 0 ? 1 - nulls / rows : 1;
  if (filled === 0 || distinct === 0 || (distinct === 1 && rows > 1)) return -10;
  let score = 0;
  if (type === 'date' || type === 'datetime') score = 5;
  else if (type === 'string') {
    const texts = [...(examples ?? []), ...(top ?? []).map(({ value }) => String(value)), String(min ?? '')].filter(
      Boolean,
    );
    const length = texts.length ? texts.reduce((sum, text) => sum + text.length, 0) / texts.length : 10;
    const isAddress = texts.some((text) => /^(https?:|,.*,$)/.test(text));
    const areNames = (distinct === null || (distinct ?? 0) > rows / 2) && length >= 5 && length <= 40;
    if (isAddress || length > 60) score = 0;
    else if (areNames) score = 5.5;
    else score = (distinct ?? 1000) <= 30 ? 3 : 2.5;
  } else if (type === 'float') score = 3;
  else if (type === 'integer') score = 2.5;
  else if (type === 'boolean' || type === 'time') score = 2;
  if (unit) score += 3;
  if (looksLikeCode.test(name)) score -= 3;
  if (filled < 0.5) score -= 3;
  return score;
}

/** Profiles by column: measured, or as far as the metadata of the version have them. */
export function profilesByColumn(
  version: Version | undefined,
  profile: VersionProfile | null,
): ReadonlyMap<string, Partial<ColumnProfile>> {
  if (!profile) return version ? statisticsInMetadata(version) : new Map();
  return measuredByColumn(profile);
}

/** Measured profiles by column. */
export const measuredByColumn = keepLast(
  ({ columns }: VersionProfile): ReadonlyMap<string, ColumnProfile> =>
    new Map(columns.map((column) => [column.name, column])),
);
