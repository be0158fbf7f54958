/** `catalogue doctor`: health checks of the program, the folder, the system and remotes, with advice. */
import { resolve } from 'node:path';
import { CatalogueError } from '../../catalogue/errors.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { Call, Verb } from '../command.ts';
import type { HealthCheck } from '../doctor/health-check.ts';
import { countText } from '../output/quantities.ts';
import { type Paint, terminalColours } from '../output/terminal.ts';
import { padToWidth, textWidth, wrapText } from '../output/width.ts';

export const command: Verb = {
  usage: 'doctor',
  description: 'Check the program, the folder, the system and remotes, and say what to do.',
  notes:
    'It changes nothing. The exit code is 1 if there is a problem. To check the files of the catalogue: catalogue check',
  examples: ['catalogue doctor', 'catalogue doctor --json'],
  on: 'nothing',
  async run(call) {
    const { show } = call;
    const checks = await runChecks(call);
    const problems = checks.filter(({ state }) => state === 'problem').length;
    const warnings = checks.filter(({ state }) => state === 'warning').length;
    if (show.asJson) show.json({ ok: problems === 0, findings: checks });
    else if (show.forPeople) showChecks(call, checks);
    else
      show.table(
        [],
        checks.map(({ state, area, name, message, advice = '' }) => [state, area, name, message, advice]),
      );
    if (!show.asJson)
      show.message(
        problems + warnings === 0
          ? 'All is well.'
          : `${problems ? countText(problems, 'problem') : 'No problem'}, ${countText(warnings, 'warning')}.`,
      );
    return problems ? 1 : 0;
  },
};

async function runChecks(call: Call): Promise<readonly HealthCheck[]> {
  const [
    { programHealthChecks },
    { folderHealthChecks, missingFolder, objectStoreHealthCheck, readCatalogueHealthCheck },
    { remoteServerHealthChecks },
    { diagnoseFolder, reachObjectStore },
  ] = await Promise.all([
    import('../doctor/environment.ts'),
    import('../doctor/folder.ts'),
    import('../doctor/remotes.ts'),
    import('../../files/folder.ts'),
  ]);
  const folder = folderOf(call);
  if (folder instanceof Error)
    return [
      ...(await programHealthChecks(false)),
      missingFolder(folder),
      ...(await remoteServerHealthChecks(call, null)),
    ];
  const root = resolve(call.context.cwd, folder);
  const diagnosis = await diagnoseFolder(root);
  return [
    ...(await programHealthChecks(diagnosis.usesLfs)),
    ...folderHealthChecks(root, diagnosis),
    ...(diagnosis.state ? await readCatalogueHealthCheck(() => call.context.open(folder, { readOnly: true })) : []),
    ...(diagnosis.state ? await objectStoreHealthCheck(() => reachObjectStore(root)) : []),
    ...(await remoteServerHealthChecks(call, root)),
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

const colourOf = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/** The checks below the headings of their areas, each with its advice on lines of its own. */
function showChecks({ context, global, show }: Call, checks: readonly HealthCheck[]): void {
  const paint: Paint = terminalColours(context, global.color);
  const widest = Math.max(...checks.map(({ name }) => textWidth(escapeToOneLine(name))));
  const margin = 9 + widest + 2;
  const indented = (text: string) =>
    wrapText(escapeToOneLine(text), Math.max(20, context.columns - margin)).replaceAll('\n', `\n${' '.repeat(margin)}`);
  for (const area of new Set(checks.map((one) => one.area))) {
    show.heading(area[0]?.toUpperCase() + area.slice(1));
    for (const { state, name, message, advice } of checks.filter((one) => one.area === area)) {
      context.out(
        `${paint(colourOf[state], padToWidth(state, 9))}${padToWidth(escapeToOneLine(name), widest)}  ${indented(message)}\n`,
      );
      if (advice !== undefined) context.out(`${' '.repeat(margin)}${paint('dim', indented(advice))}\n`);
    }
  }
}
