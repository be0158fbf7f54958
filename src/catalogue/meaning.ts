/** Values that fit their field's schema and not its meaning: unknown licences, addresses that lead nowhere. */
import { isReadableAccent, nearestReadableAccent } from './colour.ts';
import { excerpt } from './errors.ts';
import type { FieldTraits, NamedField } from './field.ts';
import { type FieldsKind, fieldsOf } from './fields.ts';
import { existingDate, isDate } from './iso-time.ts';
import { isKnownLicence } from './known-licence.ts';
import { isPortablePath } from './layout.ts';
import { nearestLicence } from './licence.ts';
import { isHttpUrl } from './urls.ts';

/** A problem of one value. */
export interface ValueProblem {
  /** JSON Pointer (RFC 6901) of the value. */
  readonly pointer: string;
  readonly message: string;
  /** The value in its usual spelling, if it differs in nothing else. */
  readonly sameAs?: string;
}

/** Problems of the values in a record, which is served nevertheless. */
export function findDoubtfulFieldValues(
  kind: FieldsKind,
  record: Readonly<Record<string, unknown>>,
): readonly ValueProblem[] {
  const { [kind]: fields = fieldsOf(kind).filter(({ meaning }) => meaning) } = fieldsWithMeaning;
  fieldsWithMeaning[kind] = fields;
  return fields.flatMap(({ name, meaning }) => {
    const value = record[name];
    const text = typeof value === 'string' ? value.trim() : '';
    if (meaning === undefined || text === '' || isOf[meaning](text)) return [];
    const { wanted, meant } = explanations[meaning](text);
    const hint = meant === undefined ? '' : ` Did you mean "${excerpt(meant)}"?`;
    const message = `${name} ${excerpt(JSON.stringify(text))} is not ${wanted}.${hint}`;
    const isSame = meant?.toLowerCase() === text.toLowerCase();
    return [{ pointer: `/${name}`, message, ...(isSame && { sameAs: meant }) }];
  });
}

/** Fields whose values have a meaning, keyed by kind. */
const fieldsWithMeaning: { [K in FieldsKind]?: readonly NamedField[] } = {};

type Meaning = NonNullable<FieldTraits['meaning']>;

const emailRule = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+$/;
const isEmail = (text: string) => emailRule.test(text);

/** An address, or one with a name in front of it (RFC 5322, section 3.4): `Parks <parks@example.org>`. */
const isMailbox = (text: string) => isEmail(/^[^<>]*<([^<>]+)>$/.exec(text)?.[1] ?? text);

/** True for a BCP 47 tag that begins with a code of ISO 639. */
export const isLanguageTag = (text: string): boolean => /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/.test(text);

const isOf: { readonly [M in Meaning]: (text: string) => boolean } = {
  licence: isKnownLicence,
  homepage: isHttpUrl,
  contact: (text) => isHttpUrl(text) || isMailbox(text) || /^(?:mailto|tel):\S+$/.test(text),
  email: isEmail,
  language: isLanguageTag,
  accent: isReadableAccent,
  date: isDate,
  slug: isPortablePath,
};

interface Explanation {
  readonly wanted: string;
  readonly meant?: string | undefined;
}

const explanations: { readonly [M in Meaning]: (text: string) => Explanation } = {
  licence: (text) => {
    const meant = nearestLicence(text);
    const others = ' (https://spdx.org/licenses/), a URL or LicenseRef-<name>';
    return { wanted: `an SPDX identifier${meant === undefined ? others : ''}`, meant };
  },
  homepage: (text) => ({ wanted: 'a URL', meant: withScheme(text) }),
  contact: (text) => ({ wanted: 'an e-mail address or a URL', meant: withScheme(text) }),
  email: () => ({ wanted: 'an e-mail address' }),
  accent: (text) => ({
    wanted: 'a colour such as #0b5a63 in which text can be read on a light page (contrast 4.5:1)',
    meant: nearestReadableAccent(text),
  }),
  date: () => ({ wanted: existingDate }),
  slug: () => ({ wanted: "allowed as a name on Windows: git can't check the catalogue out there" }),
  language: () => ({ wanted: 'a BCP 47 language tag, such as de, da, nb, sv or en' }),
};

/** The URL that an address without a scheme means: `https://` and the address; undefined if it has no host. */
function withScheme(text: string): string | undefined {
  const url = `https://${text.replace(/^\/\/|^https?:\/?\/?/i, '')}`;
  return /^https:\/\/(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[/?#:]\S*)?$/u.test(url) && isHttpUrl(url) ? url : undefined;
}
