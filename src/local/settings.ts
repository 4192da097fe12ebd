import { ConfigError } from '../core/config-error.js';
import { loadConfig } from '../core/config.js';
import { localDataDir } from './checkout.js';
import { LocalError } from './errors.js';
import { freePort, portIsFree } from './ports.js';

/** What the environment decides about the local stack. */
export interface LocalSettings {
  dataDir: string;
  host: string;
  port: number;
  managementHost: string;
  managementPort: number;
  /** The management port of the worker. */
  workerManagementPort: number;
  /** A server of the user's own, or null for one of ours. */
  databaseUrl: string | null;
  redisUrl: string | null;
  secretsKey: string | null;
}

const defaultManagementPort = 9464;

/**
 * Reads the environment as the service itself will.
 * @throws LocalError that names every mistake.
 */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<LocalSettings> {
  const config = checkedConfig(env);
  const managementPort = config.MANAGEMENT_PORT ?? defaultManagementPort;
  if (managementPort === 65_535) {
    throw new LocalError('MANAGEMENT_PORT must be at most 65534: the worker takes the port after it.');
  }
  return {
    dataDir: localDataDir(env),
    host: config.HOST,
    port: config.PORT || (await freePort()),
    managementHost: config.MANAGEMENT_HOST,
    managementPort: managementPort || (await freePort()),
    workerManagementPort: managementPort === 0 ? await freePort() : managementPort + 1,
    databaseUrl: env.DATABASE_URL?.trim() || null,
    redisUrl: env.REDIS_URL?.trim() || null,
    secretsKey: env.SECRETS_KEY?.trim() || null,
  };
}

/** @throws LocalError naming the first port that is taken or meant twice, and the variable that changes it. */
export async function checkPorts(settings: LocalSettings): Promise<void> {
  const { host, port, managementHost, managementPort, workerManagementPort } = settings;
  const wanted = [
    { port, host, use: 'the API', variable: 'PORT' },
    {
      port: managementPort,
      host: managementHost,
      use: 'the management pages of the API',
      variable: 'MANAGEMENT_PORT',
    },
    {
      port: workerManagementPort,
      host: managementHost,
      use: 'the management pages of the worker (MANAGEMENT_PORT + 1)',
      variable: 'MANAGEMENT_PORT',
    },
  ];
  // A mistake in the settings is told before anything that depends on what else runs here.
  for (const [index, { port: number, use, variable }] of wanted.entries()) {
    const twice = wanted.slice(0, index).find((other) => other.port === number);
    if (twice !== undefined) {
      throw new LocalError(
        `Port ${number} is meant both for ${twice.use} and for ${use}. Set ${variable} to another.`,
      );
    }
  }
  for (const { port: number, host: address, use, variable } of wanted) {
    if (!(await portIsFree(number, address))) {
      throw new LocalError(
        `Port ${number} on ${address}, for ${use}, is taken by another program. ` +
          `Stop that program, or set ${variable} to a free port: ${variable}=${number + 10} npm start`,
      );
    }
  }
}

function checkedConfig(env: NodeJS.ProcessEnv): ReturnType<typeof loadConfig> {
  // What is missing is what the local stack provides.
  const provided = {
    DATABASE_URL: env.DATABASE_URL?.trim() || 'postgres://provided',
    REDIS_URL: env.REDIS_URL?.trim() || 'redis://provided',
    SECRETS_KEY: env.SECRETS_KEY?.trim() || Buffer.alloc(32).toString('base64'),
  };
  try {
    return loadConfig({ ...env, ...provided });
  } catch (error) {
    if (error instanceof ConfigError) throw new LocalError(error.message);
    throw error;
  }
}
