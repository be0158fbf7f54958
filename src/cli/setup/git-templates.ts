/** The texts of the pre-commit hook and of the workflow that check a catalogue. */
import { quoteForShell } from '../typed-command.ts';

/** The program that wrote the hook, for computers on which no `catalogue` is found. */
export interface Program {
  readonly node: string;
  readonly script: string;
}

/** The line to add to an existing hook. */
export const gitHookLine = (folder: string, { script }: Program): string =>
  `git --literal-pathspecs diff --cached --quiet -- ${quoteForShell(folder)} || ` +
  `"$(PATH="node_modules/.bin:$PATH" command -v catalogue || echo ${quoteForShell(script)})" ` +
  `--data ${quoteForShell(folder)} check --staged || exit 1`;

/** True if a hook checks the catalogue in the folder. */
export const checksCatalogue = (hook: string, folder: string): boolean =>
  /\bcheck --staged\b/.test(hook) && hook.includes(quoteForShell(folder));

/**
 * The whole hook. Git runs it at the top of the working tree (githooks(5)).
 * @param folder of the catalogue, relative to the top
 */
export const gitHookScript = (folder: string, { node, script }: Program): string => `#!/bin/sh
# Checks the staged files of the catalogue before each commit. Made by "catalogue init --hook".
# To commit without the check: git commit --no-verify

folder=${quoteForShell(folder)}
git --literal-pathspecs diff --cached --quiet -- "$folder" && exit 0
# The program that made this hook: used if neither node_modules nor the PATH has one.
node=${quoteForShell(node)}
script=${quoteForShell(script)}
[ -x "$node" ] || node=node

if [ -x node_modules/.bin/catalogue ]; then
  set -- node_modules/.bin/catalogue
elif command -v catalogue >/dev/null 2>&1; then
  set -- catalogue
elif [ -f "$script" ]; then
  set -- "$node" "$script"
else
  echo "The catalogue can't be checked: the program catalogue isn't installed. Install it, or commit with --no-verify." >&2
  exit 1
fi
exec "$@" --data "$folder" check --staged
`;

export const workflowPath = '.github/workflows/catalogue.yml';

/** True if the workflow is one for this folder, whatever it installs the program from. */
export const isWorkflowForFolder = (text: string, folder: string): boolean =>
  text.replace(installLine, '') === githubWorkflowText(folder, null).replace(installLine, '');

const installLine = /^ +- run: npm (?:ci|install .*)$/m;

/**
 * The workflow of GitHub Actions that checks pull requests, as YAML. It runs the program in node_modules, and never
 * another one of the same name from a registry.
 * @param folder of the catalogue, relative to the top of the repository
 * @param address that npm installs the program from; null if the repository's package.json names the program
 */
export function githubWorkflowText(folder: string, address: string | null): string {
  const catalogue = `node_modules/.bin/catalogue --data ${quoteForShell(folder)}`;
  const install = address === null ? 'npm ci' : `npm install --no-save --no-package-lock ${quoteForShell(address)}`;
  const paths = folder === '.' ? '' : `\n    paths: ${JSON.stringify([`${folder}/**`, workflowPath])}`;
  return `# Checks the changes of pull requests in the catalogue, and shows them. Made by "catalogue init --ci".
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
      - run: ${yamlText(install)}
      - name: Check the changes
        run: ${yamlText(`${catalogue} check --changed "$BASE" --format github`)}
      - name: Show the changes
        if: \${{ !cancelled() }}
        run: ${yamlText(`${catalogue} diff "$BASE...HEAD" --format markdown | tee -a "$GITHUB_STEP_SUMMARY"`)}
`;
}

/** A text as a scalar of YAML, quoted if it has to be. */
const yamlText = (text: string) => (/: | #|^['"]/.test(text) ? JSON.stringify(text) : text);
