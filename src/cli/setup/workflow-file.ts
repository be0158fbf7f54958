/** The workflow of GitHub Actions that checks a catalogue on pull requests. */
import { shellWord } from './git-templates.ts';

export const workflowPath = '.github/workflows/catalogue.yml';

/**
 * The workflow as YAML. It runs the catalogue that package.json names, and nothing that merely has its name in a registry.
 * @param folder of the catalogue, from the top of the repository
 */
export function workflowText(folder: string): string {
  const catalogue = `npx --no-install catalogue --data ${shellWord(folder)}`;
  const paths = folder === '.' ? '' : `\n    paths: ${JSON.stringify([`${folder}/**`, workflowPath])}`;
  return `# Checks what a pull request changes in the catalogue, and says so in words. Made by "catalogue init --ci".
# The program comes with "npm ci": package.json has to name it.
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
          # All commits, to find where the branch began; and payloads that are in Git LFS.
          fetch-depth: 0
          lfs: true
      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: npm ci
      - name: Check what changed
        run: ${yamlText(`${catalogue} check --changed "$BASE" --format github`)}
      - name: Say what changed
        if: \${{ !cancelled() }}
        run: ${yamlText(`${catalogue} diff "$BASE...HEAD" --format markdown | tee -a "$GITHUB_STEP_SUMMARY"`)}
`;
}

/** A text that would be a scalar of YAML as it is, or in quotes. */
const yamlText = (text: string) => (/: | #|^['"]/.test(text) ? JSON.stringify(text) : text);
