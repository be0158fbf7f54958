/** The text of a record that is to be written: whether it may stand where it is to stand. */

import { movedTo } from '../../catalogue/aliases.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { recordStem, unitOf, withExtensions } from '../../catalogue/layout.ts';
import { parseDatasetRef, type Ref } from '../../catalogue/ref.ts';
import { checkRecord } from '../../catalogue/validators.ts';
import { findPosition, parseRecord, positionFinder, type TextPosition } from '../../text/parse.ts';
import { hasFile } from '../tree/file-tree.ts';
import { formatOf, mustBeReadable } from '../writing/pen.ts';
import type { RecordPlace } from './place.ts';
import type { Access } from './rights.ts';

export interface Draft {
  readonly place: RecordPlace;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** @throws ValidationError that says where it doesn't parse or doesn't fit its schema */
export function draftOf(place: RecordPlace, text: string): Draft {
  mustBeReadable(text);
  if (Buffer.from(text).toString() !== text)
    throw new ValidationError({ non_field_errors: ['The text holds half of a character (a lone surrogate).'] });
  const format = formatOf(place.path);
  const parsed = parseRecord(text, format);
  if ('error' in parsed) throw invalid([said(place, parsed.error, parsed.error.message)]);
  const checked = checkRecord(place.ref.kind, parsed.value);
  if ('misfits' in checked) {
    const placeAt = positionFinder(text, format);
    throw invalid(checked.misfits.map(({ pointer, message }) => said(place, placeAt(pointer), message)));
  }
  return { place, text, value: parsed.value as Draft['value'] };
}

const said = ({ path }: RecordPlace, { line, column }: TextPosition, message: string) =>
  `${path}:${line}:${column}: ${message}`;
const invalid = (messages: readonly string[]) => new ValidationError({ non_field_errors: messages });

/**
 * What a record lies in is there, and so is what it names. Whoever has the folder in hand may write what names nothing,
 * as with any editor: it is a copy of what is so elsewhere, and `check` tells.
 * @throws ValidationError
 */
export function mustBeLinked({ files, viewer }: Access, { place, text, value }: Draft): void {
  const { tree: folder } = files.store;
  const exists = (stem: string) => withExtensions(stem).some((path) => hasFile(folder, path));
  const need = (isSound: boolean, pointer: string, message: string) => {
    if (!isSound) throw invalid([said(place, findPosition(text, formatOf(place.path), pointer), message)]);
  };
  const { ref } = place;
  if (ref.kind === 'dataset')
    need(
      exists(recordStem({ kind: 'namespace', slug: ref.namespace })),
      '',
      `There is no namespace "${ref.namespace}".`,
    );
  if (ref.kind === 'version')
    need(exists(recordStem(unitOf(ref))), '', `There is no dataset "${ref.namespace}/${ref.dataset}".`);
  if (viewer.staff && viewer.username === null) return;
  for (const [field, kinds] of [
    ['owners', ['namespace']],
    ['groups', ['user']],
  ] as const)
    if ((kinds as readonly string[]).includes(ref.kind))
      for (const [i, slug] of listAt(value, field).entries())
        need(exists(recordStem({ kind: 'group', slug })), `/${field}/${i}`, `There is no group "${slug}".`);
  if (ref.kind !== 'query') return;
  const asked = parseDatasetRef(String(value.dataset));
  const isHere = exists(recordStem(asked));
  need(isHere || leadsOn(files.snapshot, asked), '/dataset', `There is no dataset "${value.dataset}".`);
  if (isHere && typeof value.version === 'string') {
    const stem = recordStem({ kind: 'version', namespace: asked.namespace, dataset: asked.slug, slug: value.version });
    need(exists(stem), '/version', `The dataset "${value.dataset}" has no version "${value.version}".`);
  }
}

const leadsOn = (snapshot: Parameters<typeof movedTo>[0], ref: Ref) => movedTo(snapshot, ref) !== undefined;

const listAt = (value: Draft['value'], field: string) => (value[field] ?? []) as readonly string[];
