/** The pre-commit hook of a repository that a catalogue lies in. */

/** A word that a shell takes as it is. */
export const shellWord = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What to add to a hook that is there already. */
export const hookLine = (folder: string): string =>
  `git --literal-pathspecs diff --cached --quiet -- ${shellWord(folder)} || ` +
  `npx --no-install catalogue --data ${shellWord(folder)} check --staged || exit 1`;

/** Whether a hook checks the folder's catalogue, whoever wrote it. */
export const checksCatalogue = (hook: string, folder: string): boolean =>
  /\bcheck --staged\b/.test(hook) && hook.includes(shellWord(folder));

/**
 * The hook as a whole. Git runs it at the top of the working tree (githooks(5)).
 * @param folder of the catalogue, from there
 */
export const hookScript = (folder: string): string => `#!/bin/sh
# What is staged of the catalogue is checked before it is committed. Made by "catalogue init --hook".
# To commit all the same: git commit --no-verify

folder=${shellWord(folder)}
git --literal-pathspecs diff --cached --quiet -- "$folder" && exit 0

if [ -x node_modules/.bin/catalogue ]; then
  set -- node_modules/.bin/catalogue
elif command -v catalogue >/dev/null 2>&1; then
  set -- catalogue
elif npx --no-install catalogue --version >/dev/null 2>&1; then
  set -- npx --no-install catalogue
else
  echo "The catalogue can't be checked, for the program catalogue isn't installed. Install it (npm install), or commit with --no-verify." >&2
  exit 1
fi
exec "$@" --data "$folder" check --staged
`;
