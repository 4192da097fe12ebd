import { resolve } from 'node:path';
import { isObject, type Json } from './shapes.js';

const HIGHEST_PORT = 65_535;

/** What every simulator is told by its environment. */
export interface ListenerConfig {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** An absolute path; need not exist yet. */
  readonly dataDir: string;
}

/** What the simulator of a vendor is told. */
export interface SimulatorConfig extends ListenerConfig {
  /** As the body of `POST /_sim/account`; only for a simulator that has no state yet. */
  readonly account: Json;
  /** As the body of `POST /_sim/readings`; only for a simulator that has no state yet. */
  readonly readings: Json;
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

/**
 * Reads what `readListenerConfig` does, and as JSON objects `SIMULATOR_ACCOUNT` and `SIMULATOR_READINGS`; an
 * empty value counts as absent.
 * @throws StartupError that names every mistaken variable, one per line.
 */
export function readSimulatorConfig(
  env: NodeJS.ProcessEnv,
  defaults: { port: number; dataDir: string },
): SimulatorConfig {
  const mistakes: string[] = [];
  const config = {
    ...readListenerConfig(env, defaults, mistakes),
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
