import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { destination, pino } from 'pino';
import { CliModule, type CommandFeatures } from '../cli.module.js';
import { loadConfig, type Config } from '../core/config.js';
import { NestLogger, type Logger } from '../core/logger.js';
import { Database } from '../database/database.js';
import { certificateProblem } from '../core/postgres-errors.js';
import { SchemaService } from '../database/schema.service.js';
import { localDataDir } from '../core/project-root.js';
import { readStackFile } from './local-stack/stack-file.js';
import { CommandError, reasonOf } from './problems.js';
import { streams } from './streams.js';

const SCHEMA_DEADLINE_MS = 15_000;
const BEING_CHANGED =
  'The schema is being changed to that of this version. The command runs when this has ended; Ctrl+C ends the command.\n';

/**
 * Opens the services of a command, on a database whose schema is up to date.
 * @throws ConfigError; CommandError without a usable database; LocalError if this user may not read the stack file.
 */
export async function openSession(env: NodeJS.ProcessEnv, features: CommandFeatures): Promise<INestApplicationContext> {
  const config = loadConfig(withLocalStack(env), { forCommandLine: true });
  const logger = createLogger(config, env);
  const app = await NestFactory.createApplicationContext(CliModule.register(config, logger, features), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  try {
    await waitForSchema(app, config);
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`the key of the local stack can't be read (${(error as Error).message}): set SECRETS_KEY`);
  }
}

/** Without DATABASE_URL, uses the local stack that runs on this checkout. */
function withLocalStack(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env.DATABASE_URL?.trim()) return env;
  const stack = readStackFile(localDataDir(env));
  if (!stack) {
    throw new CommandError('the local stack is not running: start it with npm start, or set DATABASE_URL');
  }
  return {
    ...env,
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: env.REDIS_URL?.trim() || stack.redisUrl,
    SECRETS_KEY: env.SECRETS_KEY?.trim() || (stack.secretsKeyFile === null ? undefined : readKey(stack.secretsKeyFile)),
  };
}

/** Logs are off by default, because errors are printed as sentences. They go to standard error, apart from results. */
function createLogger(config: Config, env: NodeJS.ProcessEnv): Logger {
  const level = env.LOG_LEVEL?.trim() ? config.LOG_LEVEL : 'silent';
  return pino({ level, base: { process: 'cli' } }, destination({ dest: 2, sync: true }));
}

/**
 * The schema service waits for PostgreSQL without limit, but an operator must get an error soon. A change of the schema
 * may take long: a command says so, and waits for its end.
 */
async function waitForSchema(app: INestApplicationContext, config: Config): Promise<void> {
  const schema = app.get(SchemaService);
  const deadline = (): Promise<void> => delay(SCHEMA_DEADLINE_MS, undefined, { ref: false });
  const reachable = app
    .get(Database)
    .ping()
    .catch((error: unknown) => {
      const server = serverOf(config.DATABASE_URL);
      const reason = certificateProblem(error) ?? reasonOf(error);
      throw new CommandError(`PostgreSQL cannot be used${server}: ${reason}. Start it, or correct DATABASE_URL`);
    });
  let waited: Promise<void> = reachable.then(deadline);
  for (let times = 1; (await Promise.race([schema.whenReady(), waited])) !== true; times++) {
    if (!schema.isBeingChanged)
      throw new CommandError(
        `the schema could not be brought up to date within ${SCHEMA_DEADLINE_MS / 1000} s: ` +
          'LOG_LEVEL=info in front of the command shows why',
      );
    if (times === 1) streams().stderr.write(BEING_CHANGED);
    waited = deadline();
  }
}

/** The address of the database, without user and password. */
function serverOf(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return '';
  const { host, pathname } = new URL(databaseUrl);
  return ` at ${host}${pathname}`;
}
