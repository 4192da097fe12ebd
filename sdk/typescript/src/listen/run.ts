import { ApiError } from '../errors.js';
import { readArguments, USAGE, UsageError } from './arguments.js';
import { Listener } from './listener.js';
import { StateFile } from './state-file.js';

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  out: (line: string) => void;
  err: (line: string) => void;
  /** Ends the program. */
  signal: AbortSignal;
}

/** Runs the program. @returns its exit code: 0 after the signal, 1 after a failure, 2 for wrong arguments. */
export async function run(args: readonly string[], { env, out, err, signal }: Surroundings): Promise<number> {
  try {
    const settings = readArguments(args, env);
    if (settings === null) {
      out(USAGE);
      return 0;
    }
    return await new Listener(settings, StateFile.of(settings, env), out).run(signal);
  } catch (error) {
    if (signal.aborted) return 0;
    if (error instanceof UsageError) {
      err(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (!(error instanceof ApiError)) throw error;
    err(`${error.message} (${error.status} ${error.code}, request ${error.requestId})`);
    return 1;
  }
}
