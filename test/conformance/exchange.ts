/** The recorded exchanges: what was asked, what was answered, and what of it counts. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder that the recorded service served. Copy it: a server may write to what it serves. */
export const fixture = fileURLToPath(new URL('fixture/', import.meta.url));

/** What an exchange leaves open: `path` is an aspect (`vary`, `body.id`, `body.results[*].id`). */
export interface Tolerance {
  readonly path: string;
  readonly rule: 'ignore' | 'integer' | 'string' | 'prefix';
  readonly value?: string;
}

export interface Exchange {
  readonly name: string;
  readonly group: string;
  /** The user whose token is sent along. */
  readonly auth: string | null;
  /** Scenario that changes the catalogue; its steps, in order, want a fresh copy of the fixture. */
  readonly sequence: string | null;
  readonly step: number | null;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** Text is sent as it is, anything else as JSON. */
    readonly body?: unknown;
    readonly body_base64?: string | null;
  };
  readonly response: {
    readonly status: number;
    /** By lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly tolerance: readonly Tolerance[] | null;
  readonly checks: { readonly sha256?: string; readonly raw_contains?: readonly string[] } | null;
  readonly tags: readonly string[] | null;
  readonly why: string;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names and values, in the order they came in; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly raw: Buffer;
}

/** A header of an answer; several lines of one name are joined. */
export function headerOf(answer: Answer, name: string): string | null {
  const values = answer.headers.filter(([key]) => key === name).map(([, value]) => value);
  return values.length ? values.join(', ') : null;
}

export function loadExchanges(): readonly Exchange[] {
  return readFileSync(new URL('exchanges.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Exchange);
}

/** The exchanges that stand alone, in their order. */
export function singles(exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.filter(({ sequence }) => !sequence);
}

/** The scenarios by name, each with its steps in order. */
export function sequences(exchanges: readonly Exchange[]): ReadonlyMap<string, readonly Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    if (!exchange.sequence) continue;
    const steps = found.get(exchange.sequence);
    if (steps) steps.push(exchange);
    else found.set(exchange.sequence, [exchange]);
  }
  for (const steps of found.values()) steps.sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
  return found;
}
