/** Chromium for tests: pages whose console messages, foreign requests and violations of the policy are recorded. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Path of Chromium: the one in CHROMIUM, or that of Debian. Its headless shell takes little more than half of the processor time. */
const executablePath =
  process.env.CHROMIUM ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Pages get axe with their first document: sent with each evaluation, its half megabyte takes longer than many of its checks. */
const loadAxe = `globalThis.loadAxe = () => { ${axe} };`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Runs axe on a page as it is. Selectors of elements, which nobody reads, would take a third of the time; and of the results, which
 * have thousands of parts, only the violations leave the browser.
 * @returns the violations, each with its rule, an element and what to change
 */
export async function findViolations(page: Page): Promise<string[]> {
  // The policy of the page admits no script of the test: axe is run in the browser's own world.
  const violations: readonly Violation[] = await page.evaluate(`(async () => {
    if (!('axe' in window)) loadAxe();
    return (await axe.run(document, { resultTypes: ['violations'], selectors: false })).violations;
  })()`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/**
 * Leaves out repetitions, to be run in a page: of siblings that differ in texts and addresses alone, the first three and the last stay;
 * of the operations and schemas of the API's reference, with 13,000 elements, two of each section.
 * The time of axe grows with the elements of a page.
 */
export function leaveOutRepetitions(): void {
  for (const operation of document.querySelectorAll('.api-reference details:nth-of-type(n + 3)')) operation.remove();
  for (const parent of document.querySelectorAll('body, body *')) {
    if (!parent.isConnected || parent.childElementCount < 5) continue;
    const alike = new Map<string, Element[]>();
    for (const child of parent.children) {
      // What neither style nor a rule of axe depends on is left out: words, and values of such attributes.
      const form = child.outerHTML
        .replace(/>[^<]*[^<\s][^<]*</g, '>text<')
        .replace(/ (href|src|srcset|title|value|id|datetime|d|points|x|y|cx|cy|data-[\w-]+)="[^"]+"/g, ' $1');
      alike.set(form, [...(alike.get(form) ?? []), child]);
    }
    for (const children of alike.values()) for (const child of children.slice(3, -1)) child.remove();
  }
}

/** @throws Error if there is no Chromium: these tests are never skipped */
export async function launchBrowser(): Promise<Browser> {
  if (!executablePath)
    throw new Error(
      'Install Chromium (Debian: apt-get install chromium-headless-shell), or name its path in CHROMIUM.',
    );
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-3d-apis', '--disable-gpu', '--in-process-gpu'],
  });
}

export interface Visit {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly script?: boolean;
  /** False for pages as they are without script, in a browser in which the test can run one. */
  readonly ownScript?: boolean;
  readonly language?: string;
}

export interface VisitedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console messages, dialogs, errors, and requests to other origins. */
  readonly incidents: readonly string[];
}

/** Opens a page of a server in a window of its own. @param path with the query string */
export async function visit(browser: Browser, base: string, path: string, options: Visit = {}): Promise<VisitedPage> {
  const { width = 1440, height = 900, scheme = 'light', script = true, ownScript = true, language = 'en-GB' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    javaScriptEnabled: script,
    locale: language,
    reducedMotion: 'reduce',
  });
  if (!ownScript) await leaveOutScript(context);
  if (script) await context.addInitScript(loadAxe);
  const page = await context.newPage();
  const incidents: string[] = [];
  page.on('console', (message) => incidents.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => incidents.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith('data:')) incidents.push(`request: ${url}`);
  });
  await page.goto(base + path);
  return { page, context, incidents };
}

/** Leaves out the script of the pages, and applies their rules for browsers without script. */
async function leaveOutScript(context: BrowserContext): Promise<void> {
  await context.route(/\/static\/.*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  await context.route(/\/static\/.*\/style\.css$/, async (route) => {
    const response = await route.fetch();
    const style = (await response.text())
      .replaceAll('(scripting: none)', 'all')
      .replaceAll('(scripting: enabled)', 'not all');
    await route.fulfill({ response, body: style });
  });
}
