/** A configuration that cannot work; the message lists every mistake by the variable's name. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The configuration has ${problems.length === 1 ? 'a mistake' : 'mistakes'}:\n  - ${problems.join('\n  - ')}`);
  }
}
