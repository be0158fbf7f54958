/** Which parts of a plan are meant by names. Pure. */
import { folderOf, homesOf, nameOf } from './paths.ts';
import type { Plan, Step } from './plan.ts';

/**
 * Whether a path is meant by a name: a record's own, as in `parks/trees` or `groups/gardeners`, with all that lies in it;
 * or a path.
 */
export function isMeantBy(name: string, path: string): boolean {
  const own = nameOf(path);
  return path === name || own === name || own.startsWith(`${name}/`) || own.startsWith(`${name}@`);
}

/**
 * The part of a plan that names mean, with the namespaces and datasets that have to be added for it.
 * @param names all of the plan where there are none
 */
export function selected(plan: Plan, names: readonly string[]): Plan {
  if (names.length === 0) return plan;
  const isMeant = ({ path }: { readonly path: string }) => names.some((name) => isMeantBy(name, path));
  const steps = (all: readonly Step[]) => {
    const homes = new Set(all.filter(isMeant).flatMap(({ path }) => homesOf(path)));
    const isNeeded = (step: Step) => (step.do === 'write' && step.ifMatch === null) || step.do === 'move';
    const placeOf = (step: Step) => folderOf(step.do === 'move' ? step.to : step.path) ?? '';
    return all.filter((step) => isMeant(step) || (isNeeded(step) && homes.has(placeOf(step))));
  };
  return {
    incoming: steps(plan.incoming),
    outgoing: steps(plan.outgoing),
    conflicts: plan.conflicts.filter(isMeant),
    held: plan.held.filter(isMeant),
    agreed: plan.agreed,
  };
}
