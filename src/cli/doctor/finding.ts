/** One thing that was looked at. */
export interface Finding {
  /** What it belongs to: `environment`, `folder`, `remotes`. */
  readonly area: string;
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** What was found. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Makes the findings of an area. */
export const findingsOf = (area: string) => ({
  ok: (name: string, message: string): Finding => ({ area, name, state: 'ok', message }),
  warning: (name: string, message: string, advice: string): Finding => ({
    area,
    name,
    state: 'warning',
    message,
    advice,
  }),
  problem: (name: string, message: string, advice: string): Finding => ({
    area,
    name,
    state: 'problem',
    message,
    advice,
  }),
});
