/** A health check: one thing that `catalogue doctor` has looked at, with its state. */
export interface HealthCheck {
  /** The heading that it is shown under: environment, folder, catalogue, remotes. */
  readonly area: string;
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** The facts. */
  readonly message: string;
  /** The remedy. */
  readonly advice?: string;
}

/** Makes the health checks of an area. */
export const checksOf = (area: string) => ({
  ok: (name: string, message: string): HealthCheck => ({ area, name, state: 'ok', message }),
  warning: (name: string, message: string, advice: string): HealthCheck => ({
    area,
    name,
    state: 'warning',
    message,
    advice,
  }),
  problem: (name: string, message: string, advice: string): HealthCheck => ({
    area,
    name,
    state: 'problem',
    message,
    advice,
  }),
});
