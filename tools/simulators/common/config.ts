import { resolve } from 'node:path';

const HIGHEST_PORT = 65_535;

/** What every simulator is told by its environment. */
export interface ListenerConfig {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** An absolute path; need not exist yet. */
  readonly dataDir: string;
}

/** A mistake of whoever started the simulator: `message` is all that needs to be shown. */
export class StartupError extends Error {}

/**
 * Reads `SIMULATOR_PORT`, `SIMULATOR_HOST` and `SIMULATOR_DATA_DIR`; an empty value counts as absent. What is
 * wrong is added to `mistakes`.
 */
export function readListenerConfig(
  env: NodeJS.ProcessEnv,
  defaults: { port: number; dataDir: string },
  mistakes: string[],
): ListenerConfig {
  const port = env.SIMULATOR_PORT || String(defaults.port);
  if (!/^\d{1,5}$/.test(port) || Number(port) > HIGHEST_PORT) {
    mistakes.push(`SIMULATOR_PORT must be an integer from 0 to ${HIGHEST_PORT}, not "${port}"`);
  }
  return {
    port: Number(port),
    host: env.SIMULATOR_HOST || '127.0.0.1',
    dataDir: resolve(env.SIMULATOR_DATA_DIR || defaults.dataDir),
  };
}
