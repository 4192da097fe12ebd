import { resolve } from 'node:path';

const DEFAULT_PORT = 4010;
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_DATA_DIR = '.local/simulator';
const HIGHEST_PORT = 65_535;

/** What the simulator is told by its environment. */
export interface SimulatorConfig {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** The bearer token that `/v1/*` demands; null leaves it open. */
  readonly token: string | null;
  /** An absolute path; need not exist yet. */
  readonly dataDir: string;
}

/** A mistake of whoever started the simulator: `message` is all that needs to be shown. */
export class StartupError extends Error {}

/**
 * Reads `SIMULATOR_PORT`, `SIMULATOR_HOST`, `SIMULATOR_TOKEN` and `SIMULATOR_DATA_DIR`; an empty value counts
 * as absent.
 * @throws StartupError that names every mistaken variable, one per line.
 */
export function readConfig(env: NodeJS.ProcessEnv): SimulatorConfig {
  const port = env.SIMULATOR_PORT || String(DEFAULT_PORT);
  const token = env.SIMULATOR_TOKEN || null;
  const mistakes: string[] = [];

  if (!/^\d{1,5}$/.test(port) || Number(port) > HIGHEST_PORT) {
    mistakes.push(`SIMULATOR_PORT must be an integer from 0 to ${HIGHEST_PORT}, not "${port}"`);
  }
  // Nothing else fits into an Authorization header, so that no client could ever present the token.
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    mistakes.push('SIMULATOR_TOKEN must consist of visible ASCII characters without spaces');
  }
  if (mistakes.length > 0) throw new StartupError(mistakes.join('\n'));

  return {
    port: Number(port),
    host: env.SIMULATOR_HOST || DEFAULT_HOST,
    token,
    dataDir: resolve(env.SIMULATOR_DATA_DIR || DEFAULT_DATA_DIR),
  };
}
