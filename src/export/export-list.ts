/** The list of the files of an export: lines of JSON, one for each unit. It lies beside the files, and goes along when they are moved. */

const header = '{"catalogue-export":1}';

/** Files that are made of the same records. */
export interface Unit {
  readonly name: string;
  /** Of all that they are made of; '' while they are being written. */
  readonly fingerprint: string;
  readonly files: readonly string[];
}

/**
 * The units of a list. A line that was cut off, as by a full disk, is left out; so is one that names files outside of the folder:
 * people who may change the site may have written it.
 */
export function* parseExportList(text: string): Generator<Unit, void, undefined> {
  for (const line of text.split('\n')) {
    const unit = line.startsWith('{"name"') ? parseUnit(line) : null;
    if (unit) yield unit;
  }
}

function parseUnit(line: string): Unit | null {
  try {
    const unit = JSON.parse(line) as Partial<Unit>;
    const isUnit = typeof unit.name === 'string' && typeof unit.fingerprint === 'string' && unit.files?.every(isBelow);
    return isUnit ? (unit as Unit) : null;
  } catch {
    return null;
  }
}

/** True for the path of a file in the folder of an export, and not in the git repository that it may be. */
function isBelow(file: unknown): boolean {
  if (typeof file !== 'string' || file.includes('\0')) return false;
  const parts = file.split('/');
  return parts[0]?.toLowerCase() !== '.git' && !parts.some((part) => part === '' || part === '.' || part === '..');
}

/** The list of units, in the order of their names. */
export function formatExportList(units: Iterable<Unit>): string {
  const inOrder = [...units].sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${[header, ...inOrder.map((unit) => JSON.stringify(unit))].join('\n')}\n`;
}
