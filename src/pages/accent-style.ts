/** The stylesheet of a catalogue's accent colour, for both schemes. */
import type { AccentColours, accentColours } from '../catalogue/colour.ts';

const rule = ({ accent, pale, onAccent }: AccentColours): string =>
  `:root { --accent: ${accent}; --accent-2: ${pale}; --on-accent: ${onAccent} }`;

export const renderAccentStyle = ({ light, dark }: NonNullable<ReturnType<typeof accentColours>>): string =>
  `@media screen { ${rule(light)} }\n@media screen and (prefers-color-scheme: dark) { ${rule(dark)} }\n`;
