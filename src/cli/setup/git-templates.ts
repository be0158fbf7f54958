/** The texts of the pre-commit hook and of the workflow that check a catalogue. */

/** A word quoted for a shell, if it has to be. */
export const shellWord = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The line to add to an existing hook. */
export const hookLine = (folder: string): string =>
  `git --literal-pathspecs diff --cached --quiet -- ${shellWord(folder)} || ` +
  `npx --no-install catalogue --data ${shellWord(folder)} check --staged || exit 1`;

/** True if a hook checks the catalogue in the folder. */
export const checksCatalogue = (hook: string, folder: string): boolean =>
  /\bcheck --staged\b/.test(hook) && hook.includes(shellWord(folder));

/**
 * The whole hook. Git runs it at the top of the working tree (githooks(5)).
 * @param folder of the catalogue, relative to the top
 */
export const hookScript = (folder: string): string => `#!/bin/sh
# Checks the staged files of the catalogue before each commit. Made by "catalogue init --hook".
# To commit without the check: git commit --no-verify

folder=${shellWord(folder)}
git --literal-pathspecs diff --cached --quiet -- "$folder" && exit 0

if [ -x node_modules/.bin/catalogue ]; then
  set -- node_modules/.bin/catalogue
elif command -v catalogue >/dev/null 2>&1; then
  set -- catalogue
elif npx --no-install catalogue --version >/dev/null 2>&1; then
  set -- npx --no-install catalogue
else
  echo "The catalogue can't be checked: the program catalogue isn't installed. Install it (npm install), or commit with --no-verify." >&2
  exit 1
fi
exec "$@" --data "$folder" check --staged
`;

export const workflowPath = '.github/workflows/catalogue.yml';

/**
 * The workflow of GitHub Actions that checks pull requests, as YAML. It runs the program that package.json names, and never
 * another one of the same name from a registry.
 * @param folder of the catalogue, relative to the top of the repository
 */
export function workflowText(folder: string): string {
  const catalogue = `npx --no-install catalogue --data ${shellWord(folder)}`;
  const paths = folder === '.' ? '' : `\n    paths: ${JSON.stringify([`${folder}/**`, workflowPath])}`;
  return `# Checks the changes of pull requests in the catalogue, and shows them. Made by "catalogue init --ci".
# "npm ci" installs the program: package.json has to name it.
name: Catalogue
on:
  pull_request:${paths}
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    defaults:
      run:
        shell: bash
    env:
      BASE: origin/\${{ github.base_ref }}
    steps:
      - uses: actions/checkout@v6
        with:
          # All commits, to find the start of the branch; and payloads that are in Git LFS.
          fetch-depth: 0
          lfs: true
      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: npm ci
      - name: Check the changes
        run: ${yamlText(`${catalogue} check --changed "$BASE" --format github`)}
      - name: Show the changes
        if: \${{ !cancelled() }}
        run: ${yamlText(`${catalogue} diff "$BASE...HEAD" --format markdown | tee -a "$GITHUB_STEP_SUMMARY"`)}
`;
}

/** A text as a scalar of YAML, quoted if it has to be. */
const yamlText = (text: string) => (/: | #|^['"]/.test(text) ? JSON.stringify(text) : text);
