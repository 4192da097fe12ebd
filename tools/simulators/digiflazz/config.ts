import { type ListenerConfig, readListenerConfig, StartupError } from '../common/config.js';
import { isObject, type Json } from './shapes.js';

const DEFAULTS = { port: 4011, dataDir: '.local/simulator-digiflazz' };

export interface DigiflazzConfig extends ListenerConfig {
  /** As the body of `POST /_sim/account`; only for a simulator that has no state yet. */
  readonly account: Json;
  /** As the body of `POST /_sim/readings`; only for a simulator that has no state yet. */
  readonly readings: Json;
}

/**
 * Reads `SIMULATOR_PORT`, `SIMULATOR_HOST`, `SIMULATOR_DATA_DIR`, and as JSON objects `SIMULATOR_ACCOUNT` and
 * `SIMULATOR_READINGS`; an empty value counts as absent.
 * @throws StartupError that names every mistaken variable, one per line.
 */
export function readConfig(env: NodeJS.ProcessEnv): DigiflazzConfig {
  const mistakes: string[] = [];
  const config = {
    ...readListenerConfig(env, DEFAULTS, mistakes),
    account: readObject(env, 'SIMULATOR_ACCOUNT', mistakes),
    readings: readObject(env, 'SIMULATOR_READINGS', mistakes),
  };
  if (mistakes.length > 0) throw new StartupError(mistakes.join('\n'));
  return config;
}

function readObject(env: NodeJS.ProcessEnv, name: string, mistakes: string[]): Json {
  try {
    const value: unknown = JSON.parse(env[name] || '{}');
    if (isObject(value)) return value;
  } catch {
    // Said below: what is not JSON is no JSON object either.
  }
  mistakes.push(`${name} must be a JSON object`);
  return {};
}
