/** Files that a merge has left in the former folder of a renamed namespace or dataset. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveAlias } from '../../catalogue/aliases.ts';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { datasetFolder, kindAndRefOfPath, namespaceFolder } from '../../catalogue/layout.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { messageWithoutRecord } from '../reading/missing-record.ts';

/**
 * The diagnostic of a folder that lacks its record. Where the record is in another folder by now, and the folder's name is a former one
 * of it, the message says so, with the command that moves the files there: a record of their own would make a second dataset. Git leaves them
 * without a conflict, if merge.directoryRenames is false.
 */
export function explainFormerFolder<T extends Pick<Diagnostic, 'code' | 'path' | 'message'>>(
  root: string,
  snapshot: Snapshot,
  found: T,
): T {
  for (const kind of ['dataset', 'namespace'] as const) {
    const { ref } = kindAndRefOfPath(`${found.path}/${kind}.yaml`);
    if (found.code !== 'layout' || found.message !== messageWithoutRecord(kind) || ref?.kind !== kind) continue;
    const now = resolveAlias(snapshot, ref);
    if (now?.kind !== 'dataset' && now?.kind !== 'namespace') continue;
    const to = now.kind === 'dataset' ? datasetFolder(now.namespace, now.slug) : namespaceFolder(now.slug);
    // The datasets of a namespace may be in both folders.
    const command =
      now.kind === 'dataset' ? `. In the folder of the catalogue: ${commandToMove(root, found.path, to)}` : '.';
    const message =
      `${kind}.yaml is missing: ${formatRef(ref)} is called ${formatRef(now)} now, and a merge has left files in its former folder. ` +
      `Move them to ${to}${command}`;
    return { ...found, message };
  }
  return found;
}

/** The command that moves the versions and payloads of a dataset to another folder, and removes the former one. */
function commandToMove(root: string, from: string, to: string): string {
  const entries = readdirSync(join(root, from), { withFileTypes: true });
  // A folder whose name a shell would read otherwise is no part of a dataset.
  const names = entries.flatMap((entry) => (entry.isDirectory() && /^[\w.]+$/.test(entry.name) ? entry.name : []));
  const joined = names.filter((name) => existsSync(join(root, to, name)));
  const moves = names.map((name) =>
    joined.includes(name) ? `git mv ${from}/${name}/* ${to}/${name}/` : `git mv ${from}/${name} ${to}/`,
  );
  return [...moves, ['rmdir', ...joined.map((name) => `${from}/${name}`), from].join(' ')].join(' && ');
}
