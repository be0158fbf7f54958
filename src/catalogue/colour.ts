/** Colours: contrast (WCAG 2.2, "contrast ratio"), and the accent of the pages in their light and dark schemes. */

type Rgb = readonly [red: number, green: number, blue: number];

/** The grounds of the pages on which text stands: paper, sheet and tint of `pages/assets/style/1-tokens.css`. */
const grounds = {
  light: ['#fcfbf8', '#ffffff', '#f4f2ec'],
  dark: ['#141719', '#1a1e20', '#1f2427'],
} as const;

/** Least contrast of text with its ground (WCAG 2.2, success criterion 1.4.3). */
const leastContrast = 4.5;

/** Reads `#0b5a63` or `#06c`. @returns null for other texts */
function parseHexColour(text: string): Rgb | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return null;
  const long = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const part = (start: number) => Number.parseInt(long.slice(start, start + 2), 16);
  return [part(0), part(2), part(4)];
}

const formatHexColour = (colour: Rgb): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** The colour between two others. @param share of the second one, 0 to 1 */
const mix = (a: Rgb, b: Rgb, share: number): Rgb =>
  [0, 1, 2].map((i) => (a[i] as number) * (1 - share) + (b[i] as number) * share) as unknown as Rgb;

/** Relative luminance (WCAG 2.2), 0 to 1. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of two colours (WCAG 2.2), 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => luminance(parseHexColour(text) ?? [0, 0, 0])) as [number, number];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

const isReadableOn = (colour: string, scheme: keyof typeof grounds): boolean =>
  grounds[scheme].every((ground) => contrastOf(colour, ground) >= leastContrast);

/** True for a colour in which text can be read on all grounds of the light scheme. */
export const isReadableAccent = (text: string): boolean =>
  parseHexColour(text) !== null && isReadableOn(text.trim(), 'light');

/** The colour, darkened until text in it can be read; undefined if the text is no colour. */
export function nearestReadableAccent(text: string): string | undefined {
  const colour = parseHexColour(text);
  return colour ? firstReadable(colour, [0, 0, 0], 'light') : undefined;
}

/** The first of ever stronger mixtures in which text can be read. */
function firstReadable(colour: Rgb, towards: Rgb, scheme: keyof typeof grounds): string {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = formatHexColour(mix(colour, towards, share));
    if (isReadableOn(mixed, scheme)) return mixed;
  }
  return formatHexColour(towards);
}

/** Colours of links and buttons, of the ground of chips and notes, and of text on a button. */
export interface AccentColours {
  readonly accent: string;
  readonly pale: string;
  readonly onAccent: string;
}

/** The colours of both schemes that an accent gives; null if text in it can't be read. */
export function accentColours(text: string): { readonly light: AccentColours; readonly dark: AccentColours } | null {
  const colour = parseHexColour(text);
  if (!colour || !isReadableAccent(text)) return null;
  const light = formatHexColour(colour);
  const dark = firstReadable(mix(colour, [255, 255, 255], 0.35), [255, 255, 255], 'dark');
  const pale = (accent: string, ground: string, share: number) =>
    formatHexColour(mix(parseHexColour(ground) as Rgb, parseHexColour(accent) as Rgb, share));
  return {
    light: { accent: light, pale: pale(light, grounds.light[0], 0.11), onAccent: '#ffffff' },
    dark: { accent: dark, pale: pale(dark, grounds.dark[0], 0.18), onAccent: grounds.dark[0] },
  };
}
