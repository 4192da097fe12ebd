/** An invalid configuration. The message lists all mistakes with the names of the variables. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The configuration has ${problems.length === 1 ? 'a mistake' : 'mistakes'}:\n  - ${problems.join('\n  - ')}`);
  }
}
