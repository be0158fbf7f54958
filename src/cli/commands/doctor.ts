/** `catalogue doctor`: whether all is well around the catalogue, and what to do where it isn't. */
import { resolve } from 'node:path';
import { CatalogueError } from '../../catalogue/errors.ts';
import type { Call, Verb } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';
import { counted } from '../output/quantities.ts';
import { colours, type Paint } from '../output/show.ts';
import { oneLine } from '../output/text.ts';
import { pad, width, wrap } from '../output/width.ts';

export const command: Verb = {
  usage: 'doctor',
  description: 'Look whether all is well: the program, the folder, the system, remotes.',
  notes:
    'It changes nothing. The exit code is 1 if there is a problem. The files themselves are looked at by: catalogue check',
  examples: ['catalogue doctor', 'catalogue doctor --json'],
  on: 'nothing',
  async run(call) {
    const { show } = call;
    const findings = await examine(call);
    const problems = findings.filter(({ state }) => state === 'problem').length;
    const warnings = findings.filter(({ state }) => state === 'warning').length;
    if (show.asJson) show.json({ ok: problems === 0, findings });
    else if (show.forPeople) showFindings(call, findings);
    else
      show.table(
        [],
        findings.map(({ state, area, name, message, advice = '' }) => [state, area, name, message, advice]),
      );
    if (!show.asJson)
      show.message(
        problems + warnings === 0
          ? 'All is well.'
          : `${problems ? counted(problems, 'problem') : 'No problem'}, ${counted(warnings, 'warning')}.`,
      );
    return problems ? 1 : 0;
  },
};

async function examine(call: Call): Promise<readonly Finding[]> {
  const [{ lookAtEnvironment }, { lookAtRemotes }, { asksForLfs }] = await Promise.all([
    import('../doctor/environment.ts'),
    import('../doctor/remotes.ts'),
    import('../doctor/folder.ts'),
  ]);
  const folder = folderOf(call);
  const root = folder instanceof Error ? undefined : resolve(call.context.cwd, folder);
  return [
    ...(await lookAtEnvironment(root !== undefined && asksForLfs(root))),
    ...(await examineFolder(call, folder, root)),
    ...(await lookAtRemotes(call)),
  ];
}

function folderOf(call: Call): string | Error {
  try {
    return call.folder();
  } catch (error) {
    if (error instanceof CatalogueError) return error;
    throw error;
  }
}

async function examineFolder(call: Call, folder: string | Error, root = ''): Promise<readonly Finding[]> {
  const [{ lookAtContents }, { lookAtPlace, lookAtWatching, withoutFolder }, { lookAtPrivate }] = await Promise.all([
    import('../doctor/contents.ts'),
    import('../doctor/folder.ts'),
    import('../doctor/private.ts'),
  ]);
  if (folder instanceof Error) return [withoutFolder(folder)];
  const place = await lookAtPlace(root);
  if (place.some(({ state }) => state === 'problem')) return place;
  const contents = await lookAtContents(() => call.context.open(folder));
  return [
    ...place,
    ...(await lookAtPrivate(root)),
    ...(await lookAtWatching(contents.datasets, contents.namespaces)),
    ...contents.findings,
  ];
}

const colourOf = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/** The findings below the headings of their areas; what to do on lines of its own. */
function showFindings({ context, global, show }: Call, findings: readonly Finding[]): void {
  const paint: Paint = colours(context, global.color);
  const widest = Math.max(...findings.map(({ name }) => width(oneLine(name))));
  const margin = 9 + widest + 2;
  const indented = (text: string) =>
    wrap(oneLine(text), Math.max(20, context.columns - margin)).replaceAll('\n', `\n${' '.repeat(margin)}`);
  for (const area of new Set(findings.map((one) => one.area))) {
    show.heading(area[0]?.toUpperCase() + area.slice(1));
    for (const { state, name, message, advice } of findings.filter((one) => one.area === area)) {
      context.out(`${paint(colourOf[state], pad(state, 9))}${pad(oneLine(name), widest)}  ${indented(message)}\n`);
      if (advice !== undefined) context.out(`${' '.repeat(margin)}${paint('dim', indented(advice))}\n`);
    }
  }
}
