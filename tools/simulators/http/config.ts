import { type ListenerConfig, readListenerConfig, StartupError } from '../common/config.js';

const DEFAULTS = { port: 4010, dataDir: '.local/simulator' };

/** The environment of the simulator. */
export interface SimulatorConfig extends ListenerConfig {
  /** The bearer token that `/v1/*` demands; null demands none. */
  readonly token: string | null;
}

/**
 * Reads `SIMULATOR_PORT`, `SIMULATOR_HOST`, `SIMULATOR_TOKEN` and `SIMULATOR_DATA_DIR`; an empty value counts
 * as absent.
 * @throws StartupError that names every mistaken variable, one per line.
 */
export function readConfig(env: NodeJS.ProcessEnv): SimulatorConfig {
  const mistakes: string[] = [];
  const listener = readListenerConfig(env, DEFAULTS, mistakes);
  const token = env.SIMULATOR_TOKEN || null;

  // No other characters fit into an Authorization header, so no client could present the token.
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    mistakes.push('SIMULATOR_TOKEN must consist of visible ASCII characters without spaces');
  }
  if (mistakes.length > 0) throw new StartupError(mistakes.join('\n'));
  return { ...listener, token };
}
