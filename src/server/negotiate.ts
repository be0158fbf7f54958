/** Content negotiation (RFC 9110, section 12). */

interface Preference {
  /** Lower case, without parameters: `text/html`, `text/*`, `*\/*`, `br`. */
  readonly name: string;
  readonly q: number;
}

/** Reads a list of preferences with q-values; a malformed q-value counts as 0. */
function parsePreferences(header: string): readonly Preference[] {
  return header.split(',').map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = q === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 0;
    return { name, q: weight };
  });
}

/**
 * The media type that a client prefers. Parameters never prevent a match; of types preferred equally, the one that was
 * named more exactly, then the first of those available.
 * @param accept value of Accept; blank or absent: any type is acceptable
 * @returns null if none is acceptable
 */
export function preferredType<T extends string>(accept: string | undefined, available: readonly T[]): T | null {
  if (!accept?.trim()) return available[0] ?? null;
  const ranges = parsePreferences(accept);
  let best: { type: T; q: number; exactness: number } | null = null;
  for (const type of available) {
    const names = [type, `${type.split('/')[0]}/*`, '*/*'];
    const matches = names.map((name) => ranges.filter((range) => range.name === name));
    const level = matches.findIndex((found) => found.length > 0);
    if (level < 0) continue;
    const q = Math.max(...(matches[level] ?? []).map((range) => range.q));
    const exactness = -level;
    if (q > 0 && (!best || q > best.q || (q === best.q && exactness > best.exactness))) best = { type, q, exactness };
  }
  return best?.type ?? null;
}

/** Splits a list of media ranges at its commas, which may also be in quoted strings. */
const splitRanges = (accept: string): string[] => accept.match(/(?:[^,"]|"[^"]*"?)+/g) ?? [];

/** URIs of the profiles that a media range names. */
function profilesOfRange(range: string): string[] {
  const [, quoted, bare] = /;\s*profile=(?:"([^"]*)"|([^;\s]+))/i.exec(range) ?? [];
  return (quoted ?? bare ?? '').split(/\s+/).filter(Boolean);
}

/** Accept without the media ranges that name profiles of which none is available. */
export const acceptWithoutProfiles = (accept: string, unavailable: ReadonlySet<string>): string =>
  splitRanges(accept)
    .filter((range) => {
      const profiles = profilesOfRange(range);
      return profiles.length === 0 || !profiles.every((uri) => unavailable.has(uri));
    })
    .join(',')
    .trim();

/**
 * URIs of the profiles that a client names for a media type (RFC 6906, section 3.1), the preferred ones first; without those that it
 * prefers less than the media type without a profile.
 */
export function acceptedProfiles(accept: string | undefined, type: string): readonly string[] {
  if (!accept?.includes('profile')) return [];
  const ranges = splitRanges(accept)
    .filter((range) => range.split(';')[0]?.trim().toLowerCase() === type)
    .map((range) => ({
      profiles: profilesOfRange(range),
      q: parsePreferences(range.replace(/"[^"]*"?/g, ''))[0]?.q ?? 0,
    }));
  const least = Math.max(0, ...ranges.filter(({ profiles }) => profiles.length === 0).map(({ q }) => q));
  return ranges
    .filter(({ q }) => q > 0 && q >= least)
    .sort((a, b) => b.q - a.q)
    .flatMap(({ profiles }) => profiles);
}

/** Tags of languages that a client prefers, the best first (RFC 9110, section 12.5.4). */
export const preferredLanguages = (acceptLanguage = ''): readonly string[] =>
  parsePreferences(acceptLanguage)
    .filter(({ name, q }) => q > 0 && name !== '' && name !== '*')
    .sort((a, b) => b.q - a.q)
    .map(({ name }) => name);

/** Content codings in which a response may be compressed, the better first. */
export const compressions = ['br', 'gzip'] as const;
export const codings = ['identity', ...compressions] as const;
export type Coding = (typeof codings)[number];

/** Preferred codings by Accept-Encoding. */
const preferred = new Map<string, Coding>();

/** The content coding of a response (RFC 9110, section 12.5.3): br rather than gzip, if both are preferred equally. */
export function preferredCoding(acceptEncoding: string | undefined): Coding {
  if (!acceptEncoding) return 'identity';
  const known = preferred.get(acceptEncoding);
  if (known) return known;
  const wanted = parsePreferences(acceptEncoding);
  const q = (name: string) =>
    (wanted.find((item) => item.name === name) ?? wanted.find((item) => item.name === '*'))?.q;
  const plain = wanted.find((item) => item.name === 'identity')?.q ?? 0;
  const [best] = compressions
    .map((name) => ({ name, q: q(name) ?? 0 }))
    .filter((item) => item.q > 0 && item.q >= plain)
    .sort((a, b) => b.q - a.q);
  const coding = best?.name ?? 'identity';
  // Clients send a handful of different headers; one that sends thousands must not fill the memory.
  if (preferred.size > 1000) preferred.clear();
  preferred.set(acceptEncoding, coding);
  return coding;
}
