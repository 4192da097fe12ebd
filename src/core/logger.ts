import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as PinoLogger, type LoggerOptions } from 'pino';
import type { Config } from './config.js';
import { loggedError } from './logged-error.js';

export type Logger = PinoLogger;

/**
 * The process's logger: one JSON line per event, or readable lines with LOG_PRETTY.
 * @param destination gets the JSON lines in place of standard output.
 */
export function createLogger(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_PRETTY'>,
  process: string,
  destination?: DestinationStream,
): Logger {
  const options: LoggerOptions = {
    level: config.LOG_LEVEL,
    base: { process },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggedError },
    redact: {
      paths: ['secret', 'token', 'key', '*.secret', '*.token', '*.key', 'headers'],
      censor: '[redacted]',
    },
    ...(config.LOG_PRETTY ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname,process' } } } : {}),
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Passes Nest's logs to pino; its start-up messages go to `debug`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error({ context: rest.at(-1) }, message instanceof Error ? message.message : String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }
}
