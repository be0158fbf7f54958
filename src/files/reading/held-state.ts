/**
 * Units whose files can't be reached because of a folder above their own: it is a link that can't be followed, or a mount point
 * without its disk. They stay in their last valid state.
 */
import { datasetsFolder, namespaceFolder, recordFolders, type Unit } from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { packStamps } from '../tree/stamps.ts';
import { isDeadLink, isEmptyFolder, lostStamp } from './missing-record.ts';
import type { UnitState } from './unit-state.ts';

/** Makes a function that returns true if a folder above the one of a unit can't be reached. It looks at each folder once. */
export function makeLostFolderTest(tree: DiskTree): (unit: Unit) => boolean {
  const known = new Map<string, boolean>();
  const isLost = (folder: string) => {
    const lost = known.get(folder) ?? isDeadLink(tree, folder);
    known.set(folder, lost);
    return lost;
  };
  const isMountPoint = (home: string) => {
    const key = `${home}/`;
    const empty = known.get(key) ?? isEmptyFolder(tree, home);
    known.set(key, empty);
    return empty;
  };
  return (unit) => {
    if (unit.kind === 'settings') return false;
    if (unit.kind !== 'namespace' && unit.kind !== 'dataset') return isLost(recordFolders[unit.kind]);
    if (unit.kind === 'namespace' || isLost('namespaces')) return isLost('namespaces');
    const home = namespaceFolder(unit.namespace);
    return isLost(home) || isLost(datasetsFolder(unit.namespace)) || isMountPoint(home);
  };
}

/** The state of a unit that can't be reached, from its last one: with the same content, and without files. */
export const heldState = (state: UnitState): UnitState => ({
  ...state,
  stamps: stampsOfHeld(state),
  payloads: '',
  lacksRecord: true,
});

export const isHeldState = (state: UnitState): boolean =>
  state.lacksRecord === true && state.stamps === stampsOfHeld(state);

const stampsOfHeld = ({ key }: UnitState) => packStamps([[key, lostStamp]]);
