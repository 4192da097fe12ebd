/** A problem that the user can solve: its message says what is wrong and what to do. */
export class LocalError extends Error {}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return member(error, 'message') ?? String(error);
}

/** The system's code of a failed call (`ENOENT`, `EACCES`, ...), or undefined. */
export function codeOf(error: unknown): string | undefined {
  return member(error, 'code');
}

/** Does not use `instanceof`, because system errors in a test's realm are no instances of that realm's Error. */
function member(error: unknown, name: string): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
