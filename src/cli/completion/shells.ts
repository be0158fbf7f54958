/** Shells: the script of each, the words that it passes, and the format of the answer. */

import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import { UsageError } from '../errors.ts';
import type { Candidate, Offer } from './candidates.ts';

export interface Shell {
  /** The command that installs the script, as a line of the help. */
  readonly install: string;
  readonly script: string;
  /** True if it shows descriptions. */
  readonly describing: boolean;
  /** The words of the command line without the program's name; the current one is the last. */
  words(given: readonly string[]): readonly string[];
  /** A line with an instruction (`files`, `folders`, or `open` for no blank after the word), then one for each candidate. */
  answer(offer: Offer, given: readonly string[]): readonly string[];
}

/** True for a word that goes on: no blank follows it. */
const isOpen = ({ word }: Candidate) => /(?:[/@=]|__)$/.test(word);

const described = ({ word, description }: Candidate) =>
  `${escapeToOneLine(word)}\t${firstSentence(escapeToOneLine(description))}`;
const firstSentence = (text: string) => /^.*?[.:;](?= |$)/.exec(text)?.[0].slice(0, -1) ?? text;

/** The part that zsh and fish share: the shell has split the words. */
const apart: Pick<Shell, 'describing' | 'words' | 'answer'> = {
  describing: true,
  words: (given) => given,
  answer: ({ candidates, paths }) => [paths ?? '', ...candidates.map(described)],
};

const bash: Shell = {
  install: 'source <(catalogue completion bash)     in ~/.bashrc',
  describing: false,
  words: ([line = '']) => splitCommandLine(line).words.slice(1),
  answer({ candidates, paths }, [line = '', replaced = '']) {
    const { words, quote } = splitCommandLine(line);
    const current = words.at(-1) ?? '';
    // For readline, words also end at "@" and "=": only the rest of the candidate is inserted.
    const rest = splitCommandLine(replaced).words.at(-1) ?? '';
    const kept = current.endsWith(rest) ? current.length - rest.length : 0;
    const how = paths ?? (candidates.some(isOpen) ? 'open' : '');
    return [how, ...candidates.map(({ word }) => (quote ? escapedInQuotes(word, quote) : escaped(word.slice(kept))))];
  },
  script: `# Completion of catalogue for bash.
_catalogue() {
  local line how=-
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $how == - ]]; then how=$line; else COMPREPLY+=("$line"); fi
  done < <("$1" completion bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
  case $how in
    open) compopt -o nospace ;;
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac 2>/dev/null
}
complete -F _catalogue catalogue
`,
};

const zsh: Shell = {
  ...apart,
  install: 'source <(catalogue completion zsh)      in ~/.zshrc, behind compinit',
  answer: ({ candidates, paths }) => [
    paths ?? '',
    // A word that goes on begins with "+"; a colon separates the word from its description.
    ...candidates.map((one) => {
      const [word = '', description = ''] = described(one).split('\t');
      return `${isOpen(one) ? '+' : '-'}${word.replace(/[\\:]/g, '\\$&')}${description && `:${description}`}`;
    }),
  ],
  script: `#compdef catalogue
# Completion of catalogue for zsh.
_catalogue() {
  local how line
  local -a lines open closed
  lines=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  how=\${lines[1]}
  for line in "\${(@)lines[2,-1]}"; do
    if [[ $line == +* ]]; then open+=("\${line#?}"); else closed+=("\${line#?}"); fi
  done
  case $how in
    files) _files ;;
    folders) _files -/ ;;
    *)
      (( $#open )) && _describe -t open catalogue open -S ''
      (( $#closed )) && _describe -t closed catalogue closed
      ;;
  esac
}
if [[ \${funcstack[1]} == _catalogue ]]; then _catalogue "$@"; else compdef _catalogue catalogue; fi
`,
};

const fish: Shell = {
  ...apart,
  install: 'catalogue completion fish > ~/.config/fish/completions/catalogue.fish',
  script: `# Completion of catalogue for fish.
function __catalogue_complete
    set -l given (commandline -opc)
    set -l program $given[1]
    set -e given[1]
    set -l current (commandline -ct)
    set -l lines ($program completion fish -- $given "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $current
        case folders
            __fish_complete_directories $current
    end
    set -e lines[1]
    printf '%s\\n' $lines
end
complete -c catalogue -f -a '(__catalogue_complete)'
`,
};

export const shells: Readonly<Record<string, Shell>> = { bash, zsh, fish };

/** The shell of a name. @throws UsageError for an unknown one */
export function findShellByName(name: string): Shell {
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined;
  if (shell) return shell;
  throw new UsageError(
    `There is no completion for ${name}. Choose one: catalogue completion ${Object.keys(shells).join('|')}`,
  );
}

/** A word in an open quote: in double quotes, bash expands variables and commands. */
const escapedInQuotes = (word: string, quote: string) =>
  quote === '"' ? word.replace(/[\\"$`]/g, '\\$&') : word.replaceAll("'", "'\\''");
const escaped = (word: string) => word.replace(/[^-\w@%+=:,./\u0080-\uffff]/g, '\\$&');

/**
 * Splits a command line as bash does, without expanding anything; the last word may be empty.
 * @returns the words, and the quote that is open in the last one
 */
export function splitCommandLine(line: string): { readonly words: readonly string[]; readonly quote: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const character = line[i] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= '';
    if (character === '\\' && quote !== "'") word += line[++i] ?? '';
    else if (quote === character) quote = '';
    else if (quote === '' && /['"]/.test(character)) quote = character;
    else word += character;
  }
  return { words: [...words, word ?? ''], quote };
}
