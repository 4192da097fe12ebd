import { ConfigError } from '../../src/core/config-error.js';
import { loadConfig } from '../../src/core/config.js';
import { localDataDir } from '../../src/core/project-root.js';
import { LocalError } from '../../src/cli/local-stack/errors.js';
import { freePort, freePortExcept, portIsFree } from './ports.js';

/** The settings of the local stack, read from the environment. */
export interface LocalSettings {
  dataDir: string;
  host: string;
  port: number;
  managementHost: string;
  managementPort: number;
  /** The management port of the worker. */
  workerManagementPort: number;
  consoleHost: string;
  consolePort: number;
  /** The user's own server, or null for one that the stack starts. */
  databaseUrl: string | null;
  redisUrl: string | null;
  secretsKey: string | null;
  /** Whether API, worker and console run from the sources and start again when these change. */
  isWatching: boolean;
}

const defaultPort = 3000;
const defaultManagementPort = 9464;
const defaultConsolePort = 3100;

/**
 * Reads the environment as the service does.
 * @throws LocalError that names every mistake.
 */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<LocalSettings> {
  const config = checkedConfig(env);
  const managementPort = config.MANAGEMENT_PORT ?? defaultManagementPort;
  if (managementPort === 65_535) {
    throw new LocalError('MANAGEMENT_PORT must be at most 65534: the worker takes the port after it.');
  }
  const workerManagementPort = managementPort && managementPort + 1;
  const wanted = [config.PORT, managementPort, workerManagementPort, config.console.port];
  const [port = 0, ofApi = 0, ofWorker = 0, consolePort = 0] = await withFreePorts(wanted);
  return {
    dataDir: localDataDir(env),
    host: config.HOST,
    port,
    managementHost: config.MANAGEMENT_HOST,
    managementPort: ofApi,
    workerManagementPort: ofWorker,
    consoleHost: config.console.host,
    consolePort,
    databaseUrl: env.DATABASE_URL?.trim() || null,
    redisUrl: env.REDIS_URL?.trim() || null,
    secretsKey: env.SECRETS_KEY?.trim() || null,
    isWatching: env.TOPUP_WATCH === 'true',
  };
}

/** The ports, with a free one instead of each 0. The system may offer the same free port twice, so chosen ones are excluded. */
async function withFreePorts(ports: readonly number[]): Promise<number[]> {
  const chosen: number[] = [];
  for (const port of ports) chosen.push(port || (await freePortExcept([...ports, ...chosen])));
  return chosen;
}

type PortVariable = 'PORT' | 'MANAGEMENT_PORT' | 'CONSOLE_PORT';

/**
 * Makes sure that API, worker and console get their ports. PostgreSQL, Redis and the simulator choose free ones.
 * @throws LocalError that names every port that is taken or configured twice, with its variable, and a
 * command that starts on free ports.
 */
export async function checkPorts(settings: LocalSettings): Promise<void> {
  const problems: string[] = [];
  const wrong = new Set<PortVariable>();
  const wanted = wantedPorts(settings);
  for (const [index, { port, host, use, variable }] of wanted.entries()) {
    const twice = wanted.slice(0, index).find((other) => other.port === port);
    if (twice !== undefined) {
      problems.push(`Port ${port} is meant both for ${twice.use} and for ${use}: set ${variable} to another.`);
    } else if (!(await portIsFree(port, host))) {
      problems.push(
        `Port ${port} on ${host}, for ${use}, is taken by another program: stop it, or set ${variable} to a free port.`,
      );
    } else {
      continue;
    }
    wrong.add(variable);
  }
  if (problems.length === 0) return;
  const command = `${await freePorts(settings, wrong)} npm start`;
  throw new LocalError([...problems, 'These are free:', `  ${command}`].join('\n'));
}

interface WantedPort {
  port: number;
  host: string;
  use: string;
  variable: PortVariable;
}

function wantedPorts(settings: LocalSettings): WantedPort[] {
  const { host, port, managementHost, managementPort, workerManagementPort, consoleHost, consolePort } = settings;
  const managed = { host: managementHost, variable: 'MANAGEMENT_PORT' } as const;
  return [
    { port, host, use: 'the API', variable: 'PORT' },
    { ...managed, port: managementPort, use: 'the management pages of the API' },
    {
      ...managed,
      port: workerManagementPort,
      use: 'the management pages of the worker (MANAGEMENT_PORT + 1)',
    },
    { port: consolePort, host: consoleHost, use: 'the console', variable: 'CONSOLE_PORT' },
  ];
}

/** Assignments of ports for a shell, with free ports instead of the wrong ones. Defaults are left out. */
async function freePorts(settings: LocalSettings, wrong: ReadonlySet<PortVariable>): Promise<string> {
  let { port, managementPort, consolePort } = settings;
  if (wrong.has('PORT')) port = await freePortsAfter(port, settings.host, 1);
  if (wrong.has('MANAGEMENT_PORT'))
    managementPort = await freePortsAfter(managementPort, settings.managementHost, 2, [port]);
  if (wrong.has('CONSOLE_PORT')) {
    const others = [port, managementPort, managementPort + 1];
    consolePort = await freePortsAfter(consolePort, settings.consoleHost, 1, others);
  }
  return [
    ...(port === defaultPort ? [] : [`PORT=${port}`]),
    ...(managementPort === defaultManagementPort ? [] : [`MANAGEMENT_PORT=${managementPort}`]),
    ...(consolePort === defaultConsolePort ? [] : [`CONSOLE_PORT=${consolePort}`]),
  ].join(' ');
}

/** The first of `count` free ports in a row, above `port` and without any of `except`. */
async function freePortsAfter(
  port: number,
  host: string,
  count: number,
  except: readonly number[] = [],
): Promise<number> {
  for (let first = port + 10; first + count <= 65_536; first += 10) {
    const row = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(row.map((each) => portIsFree(each, host)));
    if (!row.some((each) => except.includes(each)) && free.every(Boolean)) return first;
  }
  return freePort();
}

function checkedConfig(env: NodeJS.ProcessEnv): ReturnType<typeof loadConfig> {
  // The local stack provides these where the environment lacks them.
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
