/** Colours of pictures: the tokens of the pages, for light and dark. A picture stands alone, so it brings them with it. */

export const lightColours = {
  ...{ sea: '#eef2f1', land: '#dcd8cd', line: '#fcfbf8', grid: '#dde4e2', none: '#b9b5ab', void: '#f4f2ec' },
  ...{ geo: '#2c7a4b', num: '#2b5fa6', text: '#8a5d08', time: '#77489b', bool: '#a63f66', other: '#666c71' },
  ...{ c0: '#d5e5dc', c1: '#a5cbb6', c2: '#6bab8b', c3: '#3a8566', c4: '#165c45' },
};
export const darkColours: typeof lightColours = {
  ...{ sea: '#1a2124', land: '#363d40', line: '#1a1e20', grid: '#232b2e', none: '#5a6165', void: '#1f2427' },
  ...{ geo: '#71c490', num: '#86b2ee', text: '#d9ad58', time: '#c39fe6', bool: '#e690b0', other: '#969c9f' },
  ...{ c0: '#24423a', c1: '#2f6350', c2: '#448a6d', c3: '#6cb492', c4: '#aee0c4' },
};

const declare = (tokens: typeof lightColours, rules: string) =>
  Object.entries(tokens)
    .filter(([name]) => rules.includes(`var(--${name})`))
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** Names of the colours of classes: of quantiles, of values, and of what has no class. */
export const quantileColours = ['c0', 'c1', 'c2', 'c3', 'c4', 'none'] as const;
export const valueColours = ['geo', 'num', 'text', 'time', 'bool', 'none'] as const;

/** The element with rules, and with the colours that they name. */
export const styleElement = (rules: string): string =>
  `<style>:root{${declare(lightColours, rules)}}@media(prefers-color-scheme:dark){:root{${declare(darkColours, rules)}}}${rules}</style>`;
