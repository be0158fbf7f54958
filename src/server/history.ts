/** The history of a thing: the commits that touched it. */
import type { HistoryRef } from '../catalogue/catalogue.ts';
import { toJson } from '../catalogue/represent.ts';
import { shownPage } from './collections.ts';
import { pagingFrom } from './question.ts';
import type { Ask, Shown } from './route.ts';

/** A page of commits, the newest first. */
export function history(refFrom: (params: Ask['params']) => HistoryRef) {
  return async (ask: Ask): Promise<Shown> => {
    const found = await ask.catalogue.history(refFrom(ask.params), pagingFrom(ask.query));
    return shownPage(ask, 'History', found, () => found.items.map(toJson), false);
  };
}
