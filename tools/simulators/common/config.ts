import { resolve } from 'node:path';
import { isObject, type Json } from './shapes.js';

const HIGHEST_PORT = 65_535;

/** The environment of every simulator. */
export interface ListenerConfig {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** An absolute path; need not exist yet. */
  readonly dataDir: string;
}

/** The environment of a vendor's simulator. */
export interface SimulatorConfig extends ListenerConfig {
  /** As the body of `POST /_sim/account`; only for a simulator that has no state yet. */
  readonly account: Json;
  /** As the body of `POST /_sim/readings`; only for a simulator that has no state yet. */
  readonly readings: Json;
}

/** The simulator was started with wrong settings: `message` says all, without a stack trace. */
export class StartupError extends Error {}

/**
 * Reads `SIMULATOR_PORT`, `SIMULATOR_HOST` and `SIMULATOR_DATA_DIR`; an empty value counts as absent. It adds a line
 * to `mistakes` for each wrong value.
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
 * Reads the same as `readListenerConfig`, and the JSON objects `SIMULATOR_ACCOUNT` and `SIMULATOR_READINGS`; an
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
    // The mistake is added below, as for other values that are no JSON object.
  }
  mistakes.push(`${name} must be a JSON object`);
  return {};
}
