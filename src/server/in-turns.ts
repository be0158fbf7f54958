/** Long work for one request: in turns with other requests, and only as long as its client waits for it. */
import type { ListOptions } from '../catalogue/catalogue.ts';
import { listAll } from '../catalogue/iterate.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Steps } from '../catalogue/steps.ts';
import type { Entities, Kind } from '../catalogue/types.ts';
import { Turns } from '../data/event-loop.ts';
import { BadRequestError } from './errors.ts';
import type { RequestContext } from './route.ts';

/** The turns of a request's work. The one after its client has left ends with BadRequestError. */
export const turnsOf = ({ ctx }: Pick<RequestContext, 'ctx'>): Turns =>
  new Turns(() => {
    if (ctx.res?.destroyed) throw new BadRequestError('The connection was cut off.');
  });

/** The result of steps, which are run in turns. @throws BadRequestError if the client has left */
export async function runInTurns<T>(request: Pick<RequestContext, 'ctx'>, steps: Steps<T>): Promise<T> {
  return runSteps(steps, turnsOf(request));
}

/** The result of steps, which are run in turns. */
export async function runSteps<T>(steps: Steps<T>, turns: Turns): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (turns.isOver) await turns.next();
  }
}

/**
 * All entities of a list, in turns.
 * @throws the errors of `list`; BadRequestError if the client has left
 */
export async function* listInTurns<K extends Kind>(
  request: Pick<RequestContext, 'catalogue' | 'ctx'>,
  kind: K,
  options: Omit<ListOptions, 'page' | 'cursor'> = {},
): AsyncGenerator<Entities[K], void, undefined> {
  const turns = turnsOf(request);
  for await (const item of listAll(request.catalogue, kind, options)) {
    yield item;
    if (turns.isOver) await turns.next();
  }
}

/** Items from which on those of a list are written one by one. */
const longList = 50;

/** A value in JSON, as by `toJson`; the items of long lists are written in turns. @throws BadRequestError if the client has left */
export async function toJsonInTurns(value: unknown, turns: Turns): Promise<string> {
  if (typeof value !== 'object' || value === null) return toJson(value);
  const parts: string[] = [];
  if (Array.isArray(value)) {
    if (value.length < longList) return toJson(value);
    for (const item of value) {
      parts.push(toJson(item ?? null));
      if (turns.isOver) await turns.next();
    }
    return `[${parts.join(',')}]`;
  }
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) parts.push(`${toJson(name)}:${await toJsonInTurns(member, turns)}`);
    if (turns.isOver) await turns.next();
  }
  return `{${parts.join(',')}}`;
}
