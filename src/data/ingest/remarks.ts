/** Sentences about the reading of a payload: what was recognized, and which values don't fit. With `strict`, the latter refuse it. */
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';
import type { PayloadInfo, Repair } from '../formats/types.ts';
import type { ColumnProfile } from './column-profile.ts';
import type { Misfits } from './misfits.ts';

interface NamedProfile {
  readonly name: string;
  readonly profile: ColumnProfile;
}

/**
 * The remarks of a table.
 * @param crs reference systems from which geometries were converted
 * @param rows number of rows
 */
export function ingestRemarks(
  {
    misplaced,
    hint,
    namesBelow,
    headEnd = 0,
    notes = [],
    repairs = new Map(),
    misdirectedRings,
    passthrough,
    delimiter,
  }: PayloadInfo,
  crs: string | null,
  columns: readonly NamedProfile[],
  rows: number,
): string[] {
  return [
    ...(crs === null ? [] : [`Coordinates: converted from ${crs} to WGS 84.`]),
    ...(hint === undefined ? [] : [hint]),
    ...notes,
    ...sortedRepairs(repairs).map(([kind, { count, line }]) => {
      const { subject, noun, result } = repairTexts[kind];
      return `${subject}: ${count} ${count === 1 ? noun[0] : noun[1]}${placeOf(count, line)}: ${result}.`;
    }),
    ...(namesBelow === undefined ? [] : [namesBelow]),
    ...(namesBelow === undefined && rows > 0 && repairs.get('more_cells')?.count === rows
      ? [delimiter === undefined ? sentenceAboutMoreCells : `${sentenceAboutMoreCells} ${sentenceAboutRowNames}`]
      : []),
    // Only GeoJSON demands a direction.
    ...(misdirectedRings && passthrough !== null ? [sentenceAboutRings(misdirectedRings)] : []),
    ...misplacedRemarks(misplaced),
    ...columns.flatMap(({ name, profile }) => [
      ...recognitionRemarks(name, profile),
      ...dateFormatRemarks(name, profile),
      ...groupsRemarks(name, profile),
      // Of a head of several rows, the cells below the first are no values.
      ...(profile.type === 'string' && Number(profile.misfits?.line) <= headEnd ? [] : misfitRemarks(name, profile)),
    ]),
    ...groupingRemarks(columns),
  ];
}

/** Remarks about numbers such as 1.234 beside columns with decimal commas: the point may group thousands. */
function groupingRemarks(columns: readonly NamedProfile[]): string[] {
  if (!columns.some(({ profile }) => profile.recognized?.form === 'decimal comma')) return [];
  return columns
    .filter(({ profile }) => profile.mayBeGrouped)
    .map(
      ({ name }) =>
        `Column "${excerpt(name)}": read with decimal points, although other columns have decimal commas. ` +
        'If the points stand between thousands: --decimal ,',
    );
}

const misplacedRemarks = (misplaced: PayloadInfo['misplaced']): string[] =>
  misplaced ? [`${describeMisfits(misplaced.column, misplaced, misplaced.noun)}: no geometry in such rows.`] : [];

/** The remarks about geometries that rows should have, and lack: `catalogue check --deep` says them again. */
export const lostGeometryRemarks = ({ hint, misplaced }: PayloadInfo): readonly string[] => [
  ...(hint !== undefined && /no row has a geometry|rows have no geometry/.test(hint) ? [hint] : []),
  ...misplacedRemarks(misplaced),
];

/** Sentences about repairs: of one, of several, and what was done. */
const repairTexts: Readonly<
  Record<Repair, { readonly subject: string; readonly noun: readonly [string, string]; readonly result: string }>
> = {
  unclosed_rings: { subject: 'Polygons', noun: ['ring is not closed', 'rings are not closed'], result: 'closed' },
  short_lines: {
    subject: 'Tracks and routes',
    noun: ['line has one position', 'lines have one position'],
    result: 'left out',
  },
  missing_types: { subject: 'Features', noun: ['has no type', 'have no type'], result: 'read as Features' },
  invalid_bboxes: {
    subject: 'Features',
    noun: ['has an invalid bbox', 'have an invalid bbox'],
    result: 'left out',
  },
  more_cells: {
    subject: 'Rows',
    noun: ['has more cells than the head', 'have more cells than the head'],
    result: 'kept in columns of their own',
  },
  fewer_cells: {
    subject: 'Rows',
    noun: ['has fewer cells than the head', 'have fewer cells than the head'],
    result: 'the others are null',
  },
  stray_quotes: {
    subject: 'Rows',
    noun: ['has text behind a closing quote', 'have text behind a closing quote'],
    result: 'kept with its quotes',
  },
};

/** Repairs in the order of their kinds: they are found in another one where the bytes come in other chunks. */
export function sortedRepairs(repairs: PayloadInfo['repairs'] = new Map()) {
  const kinds = Object.keys(repairTexts);
  return [...repairs].sort(([a], [b]) => kinds.indexOf(a) - kinds.indexOf(b));
}

const sentenceAboutMoreCells =
  'Every row has more cells than the head, so that names may stand above the wrong columns.';

/** About text: a spreadsheet isn't written by R's write.table. */
const sentenceAboutRowNames =
  "R's write.table leaves out the name of its first column: write with col.names = NA, or row.names = FALSE.";

const sentenceAboutRings = ({ count, line }: NonNullable<PayloadInfo['misdirectedRings']>): string =>
  `Polygons: ${count} ${count === 1 ? 'ring has' : 'rings have'} another direction than RFC 7946 demands${placeOf(count, line)}: ` +
  `reversed in the GeoJSON that is made of rows, and not in the file. To convert it: ogr2ogr -lco RFC7946=YES converted.geojson FILE`;

const placeOf = (count: number, line: number | undefined) =>
  line === undefined ? '' : ` (${count === 1 ? '' : 'first: '}line ${line})`;

function recognitionRemarks(name: string, { recognized, type }: ColumnProfile): string[] {
  if (!recognized) return [];
  const { form, example } = recognized;
  const read = form === 'date' ? `${type}s such as ${example}` : `numbers with decimal commas such as ${example}`;
  return [`Column "${excerpt(name)}": read as ${read}.`];
}

function dateFormatRemarks(name: string, { dateFormats }: ColumnProfile): string[] {
  if (!dateFormats) return [];
  const { formats, example, isShort } = dateFormats;
  const options = formats.map((format) => `--date-format ${quoted(format)}`).join(', or ');
  const reason = isShort
    ? `${example} and the others may be dates with years of two digits`
    : `dates such as ${example} may begin with the day or the month`;
  return [`Column "${excerpt(name)}": text, since ${reason}. To read them: ${options}`];
}

/** Remarks about marks between thousands: that numbers were read with them, or how texts are. */
function groupsRemarks(name: string, { groups }: ColumnProfile): string[] {
  if (!groups) return [];
  const column = `Column "${excerpt(name)}"`;
  const { mark, example, isSure, type } = groups;
  if (type === undefined) {
    const otherwise = isSure ? '' : ' If they are decimal commas: --decimal ,';
    return [`${column}: read as numbers with ${mark}s between thousands such as ${example}.${otherwise}`];
  }
  const reason = isSure ? `has ${mark}s between thousands` : `may have a ${mark} between thousands`;
  return [`${column}: text, since ${example} ${reason}. To read numbers: --type ${quoted(name)}=${type}`];
}

function misfitRemarks(name: string, { misfits, type }: ColumnProfile): string[] {
  if (!misfits) return [];
  const described = describeMisfits(
    `Column "${excerpt(name)}"`,
    misfits,
    misfits.type === 'float' ? 'number' : misfits.type,
  );
  // Without a type that people set, one value makes all of them text.
  if (type === 'string')
    return [`${described}: the column is text. To read the others: --type ${quoted(name)}=${misfits.type}`];
  if (type !== 'integer' || !/^\s*[+-]?\d{16}/.test(misfits.text)) return [`${described}: null in such rows.`];
  const advice = `Integers have at most 15 digits, and some of 16. To keep all digits: --type ${quoted(name)}=string`;
  return [`${described}: null in such rows. ${advice}`];
}

const quoted = (name: string) => (/^[\w./-]+$/.test(name) ? name : JSON.stringify(name));

function describeMisfits(where: string, { count, present, line, text }: Misfits, noun: string): string {
  const place = line === undefined ? '' : `line ${line}, `;
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  const isNone = count === 1 ? `is not ${article} ${noun}` : `are not ${noun.replace(/y$/, 'ie')}s`;
  return `${where}: ${count} of ${present} values ${isNone} (${count === 1 ? place : `first: ${place}`}${excerpt(JSON.stringify(text))})`;
}

/** @throws PayloadError for the first irregularity, or value that doesn't fit */
export function refuseMisfitValues({ misplaced, repairs }: PayloadInfo, columns: readonly NamedProfile[]): void {
  for (const [kind, { count, line }] of sortedRepairs(repairs)) {
    const { subject, noun } = repairTexts[kind];
    throw new PayloadError(`${subject}: ${count} ${count === 1 ? noun[0] : noun[1]} (--strict)`, {
      ...(line !== undefined && { line }),
    });
  }
  const found = columns.flatMap(({ name, profile }) => {
    const { misfits } = profile;
    return misfits ? [{ ...misfits, where: `column "${excerpt(name)}"`, noun: misfits.type }] : [];
  });
  const [first] = [...(misplaced ? [{ ...misplaced, where: misplaced.column }] : []), ...found];
  if (!first) return;
  const { where, noun, text, line, count } = first;
  const others = count > 1 ? `, and ${count - 1} more` : '';
  throw new PayloadError(
    `${where}: ${excerpt(JSON.stringify(text))} does not fit the type ${noun}${others} (--strict)`,
    {
      ...(line !== undefined && { line }),
    },
  );
}
