/** Objects whose modules are loaded when they are first used: a command loads no more than it needs. */

type AsyncMethods<T> = { readonly [K in keyof T]: (...args: never[]) => Promise<unknown> };

/**
 * An object of asynchronous methods. The first call of one loads the object that has them.
 * @param names of all methods
 */
export function loadedOnDemand<T extends AsyncMethods<T>>(
  names: { readonly [K in keyof T]: true },
  load: () => Promise<T>,
): T {
  let loaded: Promise<T> | undefined;
  const method = (name: keyof T) =>
    async function callWhenLoaded(...args: never[]): Promise<unknown> {
      loaded ??= load();
      return (await loaded)[name](...args);
    };
  return Object.fromEntries(Object.keys(names).map((name) => [name, method(name as keyof T)])) as unknown as T;
}

/** A function that loads a module at its first call, and returns it: each `import()` of its own would ask the loader again. */
function loadedOnce<M>(load: () => Promise<M>): () => Promise<M> {
  let loaded: Promise<M> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** Modules that many requests need. */
export const loadRowFiles = loadedOnce(() => import('./row-files.ts'));
export const loadRows = loadedOnce(() => import('./rows.ts'));
export const loadLists = loadedOnce(() => import('./lists.ts'));
export const loadMaps = loadedOnce(() => import('./maps.ts'));
export const loadHistory = loadedOnce(() => import('./git/history.ts'));

/** Methods of the accounts. */
export const accountMethods = {
  verifyPassword: true,
  setPassword: true,
  addToken: true,
  hasCredentials: true,
  tokens: true,
  removeToken: true,
  viewerByToken: true,
  startSession: true,
  viewerBySession: true,
  endSession: true,
  removeCredentials: true,
  close: true,
} as const;
