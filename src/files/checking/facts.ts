/** What a check goes by, and what it finds wrong in it. */

import { parseRecordName, recordAt } from '../../catalogue/layout.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import { misspelledKeys } from '../../catalogue/validators.ts';
import { parseRecord } from '../../text/parse.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import { type FileTree, UnreadableFileError } from '../tree/disk-tree.ts';
import { checkPayloads } from './payloads.ts';
import { type Doubt, type Facts, rules } from './rules.ts';

/** The facts that units make which were read. */
export function factsOf(folder: FileTree, snapshot: Snapshot, states: Iterable<UnitState>): Facts {
  const texts = new Map<string, { text: string; value: Readonly<Record<string, unknown>> }>();
  for (const path of recordsOf(states)) {
    try {
      const text = folder.read(path)?.text;
      const parsed = text === undefined ? null : parseRecord(text, formatOf(path));
      if (text !== undefined && parsed && 'value' in parsed)
        texts.set(path, { text, value: parsed.value as Record<string, unknown> });
    } catch (error) {
      // A problem that reading has found already.
      if (!(error instanceof UnreadableFileError)) throw error;
    }
  }
  return { snapshot, folder, texts };
}

/** The record files that were looked at. */
export function* recordsOf(states: Iterable<UnitState>): Generator<string> {
  for (const { stamps } of states) for (const [path, stamp] of stamps) if (stamp && parseRecordName(path)) yield path;
}

/** All that looks wrong without payloads being read. */
export function doubtsIn(facts: Facts): readonly Doubt[] {
  return [
    ...[...facts.snapshot.diagnostics.values()].flat().map(broken),
    ...misspellings(facts),
    ...rules.flatMap((rule) => [...rule(facts)]),
    ...checkPayloads(facts),
  ];
}

export const formatOf = (path: string) => parseRecordName(path)?.format ?? 'yaml';

const broken = (problem: Diagnostic): Doubt => problem;

function* misspellings({ texts }: Facts): Generator<Doubt> {
  for (const [path, { value }] of texts) {
    const { kind } = recordAt(path);
    if (kind === 'payload' || kind === 'unknown') continue;
    for (const misfit of misspelledKeys(kind, value)) yield { path, ...misfit, severity: 'warning' };
  }
}
