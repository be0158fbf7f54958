/** All operations, by the name of their route. A route can't be added without them: its name and methods are checked. */
import type { Handlers, Method } from '../route.ts';
import type { Described, Operations } from './description.ts';
import { otherOperations } from './other-operations.ts';
import { recordOperations } from './record-operations.ts';
import { rowOperations } from './row-operations.ts';

const table = { ...recordOperations, ...rowOperations, ...otherOperations };

/** Names of routes. */
export type RouteName = keyof typeof table;

/** The methods that a name describes; all, if the route is not a part of the document. */
type DescribedMethods<N extends RouteName> = (typeof table)[N] extends null ? Method : keyof (typeof table)[N];

/** Handlers of methods that are described under a name. A handler of another method doesn't compile. */
export type DescribedHandlers<N extends RouteName> = Handlers & {
  readonly [M in Exclude<Method, DescribedMethods<N>>]?: never;
};

/** The description of a method of a route; undefined for a route that is no part of the document. */
export const describedOperation = (name: string, method: Method): Described | undefined =>
  (table as Operations)[name]?.[method];
