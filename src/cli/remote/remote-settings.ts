/** The settings file of a remote: servers show it to those who may see people. */
import { NotFoundError } from '../../catalogue/errors.ts';
import { recordPaths } from '../../catalogue/layout.ts';
import type { Replica } from '../../catalogue/replica.ts';
import { settingsFromRecord } from '../../catalogue/settings.ts';
import type { Settings } from '../../catalogue/types.ts';

/** The settings file of a remote; null if it has none, or doesn't show it. */
export async function readSettingsFile(
  replica: Replica,
): Promise<{ readonly path: string; readonly text: string } | null> {
  const { collectRecordText } = await import('../../sync/texts.ts');
  for (const path of recordPaths({ kind: 'settings' }))
    try {
      return { path, text: await collectRecordText(await replica.read(path)) };
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  return null;
}

/** The settings that describe a catalogue; others keep their defaults. */
const descriptive = ['title', 'description', 'language', 'homepage', 'publisher', 'contact', 'licence'];

/** What the settings file of a remote says about it; null if it has none, doesn't show it, or it is broken. */
export async function readDescriptiveSettings(replica: Replica): Promise<Settings | null> {
  const { parseRecordFields } = await import('../../sync/texts.ts');
  const file = await readSettingsFile(replica);
  const fields = file && parseRecordFields(file.path, file.text);
  if (!fields) return null;
  // A remote may send anything.
  const isOf = (name: string) => descriptive.includes(name) && typeof fields[name] === 'string';
  return settingsFromRecord(Object.fromEntries(Object.entries(fields).filter(([name]) => isOf(name))));
}
