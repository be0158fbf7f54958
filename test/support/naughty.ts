/** Texts that do something at a terminal that prints them as they are. */
export const naughty: readonly string[] = [
  // From the Big List of Naughty Strings (https://github.com/minimaxir/big-list-of-naughty-strings).
  'Roses are \x1b[0;31mred\x1b[0m, violets are \x1b[0;34mblue. Hope you enjoy terminal hue',
  'But now...\x1b[20Cfor my greatest trick...\x1b[8m',
  'The quic\b\b\b\b\b\bk brown fo\x07\x07\x07\x07\x07x... [Beeeep]',
  '\u202a\u202atest\u202a',
  '\u202btest\u202b',
  '\u2029test\u2029',
  'test\u2060test\u202b',
  '\u2066test\u2067',
  // Title of the window, clipboard, link, report of the cursor's position, device control, private messages.
  '\x1b]0;owned\x07',
  '\x1b]52;c;cm0gLXJmIC8K\x07',
  '\x1b]8;;http://evil.example\x1b\\parks\x1b]8;;\x1b\\',
  '\x1b[6n\x1b[c\x9b6n\x9d0;owned\x9c',
  '\x1bP$q"p\x1b\\\x1b_x\x1b\\\x1b^x\x1b\\',
  // Screen, cursor, character sets, keys.
  '\x1b[2J\x1b[H\x1bc\x1b[?1049h\x1b[?25l\x1b[s\x1b[u',
  '\x1b(0lqqk\x1b(B\x0e\x0f\x1b[?1000h\x1b[?2004h',
  // Lines that pretend to be the program's own.
  'a\nerror: All files are lost. Type: rm -rf ~',
  'a\r\nDownloaded everything\rDone',
  'a\tb\x0bc\x0cd\x85e\u2028f',
  '\x00\x7f',
];

/** Characters that must never arrive at a terminal from outside. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
