/** A problem that the person at the keyboard can solve: its message says what is wrong and what to do. */
export class LocalError extends Error {}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of a failed call (`ENOENT`, `EACCES`, ...), or undefined. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
