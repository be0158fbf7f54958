/** The strip: one bar for each column, coloured by the family of its type, as high as the column is filled. */
import type { VNode } from 'preact';
import { familyOfType, type TypeFamily } from '../catalogue/maps.ts';
import type { ColumnType } from '../catalogue/types.ts';
import type { Locale } from './locale.ts';

const familyTexts = {
  geo: 'familyGeo',
  num: 'familyNum',
  text: 'familyText',
  time: 'familyTime',
  bool: 'familyBool',
  other: 'familyOther',
} as const satisfies Record<TypeFamily, string>;

/** A column with the share of its rows that have a value, 0 to 1. */
export interface StripColumn {
  readonly type: ColumnType;
  readonly filled: number;
}

const familyCounts = (columns: readonly StripColumn[]): ReadonlyMap<TypeFamily, number> => {
  const counts = new Map<TypeFamily, number>();
  for (const { type } of columns) counts.set(familyOfType[type], (counts.get(familyOfType[type]) ?? 0) + 1);
  return counts;
};

/** The families of columns in words: `1 geometry, 30 numbers`. */
function stripInWords(columns: readonly StripColumn[], locale: Locale): string {
  const parts = [...familyCounts(columns)].map(([family, count]) => locale.text(familyTexts[family], { count }));
  const low = columns.filter(({ filled }) => filled < 0.5).length;
  return locale.text('stripWords', {
    columns: locale.text('columnCount', { count: columns.length }),
    families: [...parts, ...(low ? [locale.text('lessThanHalfFilled', { count: low })] : [])].join(', '),
  });
}

interface StripProps {
  readonly columns: readonly StripColumn[];
  readonly locale: Locale;
  readonly width: number;
  readonly height: number;
}

/** Maximum width of a bar with its gap, in pixels, for a strip 14 pixels high. */
const widestBar = 6;

/** A bar of neighbouring columns: of the type that most of them have, as high as they are filled on average. */
function joinedColumn(columns: readonly StripColumn[]): StripColumn {
  const counts = new Map<ColumnType, number>();
  for (const { type } of columns) counts.set(type, (counts.get(type) ?? 0) + 1);
  const [type] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { type, filled: columns.reduce((sum, { filled }) => sum + filled, 0) / columns.length };
}

/** A bar for each column; if there is no room for all of them, a bar for each group of neighbouring columns. */
function barsOf(columns: readonly StripColumn[], most: number): readonly StripColumn[] {
  if (columns.length <= most) return columns;
  const start = (bar: number) => Math.floor((bar * columns.length) / most);
  return Array.from({ length: most }, (_, i) => joinedColumn(columns.slice(start(i), start(i + 1))));
}

/** The strip as a picture. */
export function Strip({ columns, locale, width, height }: StripProps): VNode {
  const shown = barsOf(columns, Math.floor(width / 1.5));
  const pitch = Math.min(width / shown.length, widestBar * (height / 14));
  const gap = pitch > 3 ? 1 : pitch * 0.3;
  const total = Math.round(pitch * shown.length);
  const bars = new Map<string, string>();
  let bed = '';
  shown.forEach(({ type, filled }, i) => {
    const x = (i * pitch).toFixed(2);
    const bar = (pitch - gap).toFixed(2);
    const tall = Math.max(filled > 0 ? 1 : 0, filled * height).toFixed(1);
    const family = familyOfType[type];
    bed += `M${x} 0h${bar}v${height}h-${bar}z`;
    bars.set(family, `${bars.get(family) ?? ''}M${x} ${height}v-${tall}h${bar}v${tall}z`);
  });
  return (
    <svg
      class="strip"
      role="img"
      aria-label={stripInWords(columns, locale)}
      width={total}
      height={height}
      viewBox={`0 0 ${total} ${height}`}
    >
      <path class="bed" d={bed} />
      {[...bars].map(([family, d]) => (
        <path key={family} class={family} d={d} />
      ))}
    </svg>
  );
}

/** The legend of a strip: the families with their numbers of columns. */
export function StripLegend({ columns, locale }: Pick<StripProps, 'columns' | 'locale'>): VNode {
  const low = columns.filter(({ filled }) => filled < 0.5).length;
  return (
    <p class="legend">
      {[...familyCounts(columns)].map(([family, count]) => (
        <span key={family} class={family}>
          {locale.text(familyTexts[family], { count })}
        </span>
      ))}
      {low > 0 && <span class="none">{locale.text('lessThanHalfFilled', { count: low })}</span>}
    </p>
  );
}

/** The legend of the strips in a list: a colour for each family. */
export function StripFamilies({ locale }: Pick<StripProps, 'locale'>): VNode {
  return (
    <p class="legend families">
      <span class="none">{locale.text('stripLegend')}</span>
      {(['geo', 'num', 'text', 'time', 'bool'] as const).map((family) => (
        <span key={family} class={family}>
          {locale.text(familyNames[family])}
        </span>
      ))}
    </p>
  );
}

const familyNames = {
  geo: 'familyNameGeo',
  num: 'familyNameNum',
  text: 'familyNameText',
  time: 'familyNameTime',
  bool: 'familyNameBool',
} as const;
