import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { LOGGER } from '../../core/core.module.js';
import { AppError } from '../../core/errors.js';
import { answerError, noSuchRoute } from '../../core/http/exception.filter.js';
import { createHttpServer } from '../../core/http/http-server.js';
import { requestIdMiddleware } from '../../core/http/request-id.middleware.js';
import { hasBody } from '../../core/http/unread-body.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { serviceVersion } from '../../core/project-root.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE, type WakeUpJob } from '../../queues/queues.js';
import { RedisHealthService } from '../../queues/redis-health.service.js';
import { ReadinessService } from '../../health/readiness.service.js';
import { DatabaseStatsService } from './database-stats.service.js';
import { QueueBoardRepository } from './queue-board.repository.js';
import { createHash, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** Bull Board's page must load nothing from other hosts. */
const OWN_HOST_ONLY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'self'";

/**
 * The HTTP server for operators, in each API process and each worker. `/metrics` for Prometheus, `/healthz` and
 * `/readyz` need no password. `/queues` for Bull Board needs one ({@link operatorsOnly}). The server listens on
 * loopback unless MANAGEMENT_HOST names another address. Of these routes, the API's port serves only the health routes.
 */
@Injectable()
export class ManagementServer implements BeforeApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly readiness: ReadinessService,
    private readonly metrics: Metrics,
    private readonly stats: DatabaseStatsService,
    private readonly subjects: QueueBoardRepository,
    private readonly redis: RedisHealthService,
    @InjectQueue(FULFILMENT_QUEUE) private readonly fulfilment: Queue<WakeUpJob>,
    @InjectQueue(WEBHOOKS_QUEUE) private readonly webhooks: Queue<WakeUpJob>,
  ) {}

  /**
   * @param defaultPort used without MANAGEMENT_PORT.
   * @returns the port. @throws Error when the port is in use.
   */
  async listen(defaultPort: number): Promise<number> {
    this.metrics.describeProcess(serviceVersion());
    const server = createHttpServer(this.createApp());
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.config.MANAGEMENT_PORT ?? defaultPort, this.config.MANAGEMENT_HOST, resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  beforeApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private createApp(): Express {
    const app = express().disable('x-powered-by');
    app.use(requestIdMiddleware, refuseBodies);
    app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
    app.get('/readyz', (_request, response) => this.answerReadiness(response));
    app.get('/metrics', async (_request, response) => {
      await this.stats.refresh();
      const { registry } = this.metrics;
      response.type(registry.contentType).send(await registry.metrics());
    });
    app.use('/queues', operatorsOnly(this.config), this.serveBoard());
    app.use((request, _response, next) => next(noSuchRoute(request)));
    // Express recognizes an error handler by its four parameters.
    const onError: ErrorRequestHandler = (error, request, response, _next) =>
      answerError(this.logger, error, request, response);
    app.use(onError);
    return app;
  }

  /** Shows the state of Redis, too. A process without Redis is ready: it works, only less promptly. */
  private async answerReadiness(response: Response): Promise<void> {
    const why = await this.readiness.whyNot();
    const redis = this.redis.isUp ? 'up' : 'down';
    response.status(why === null ? 200 : 503).json({ status: why ?? 'ready', redis });
  }

  /** Loads Bull Board with the first request for its page, because most processes never get one. */
  private serveBoard(): RequestHandler {
    let board: Promise<Router> | undefined;
    return (request, response, next) => {
      response.setHeader('Content-Security-Policy', OWN_HOST_ONLY);
      board ??= import('./queue-board.js').then(({ createQueueBoard }) =>
        createQueueBoard('/queues', this.fulfilment, this.webhooks, this.subjects),
      );
      board.then((serve) => serve(request, response, next), next);
    };
  }
}

/** Refuses all request bodies: no route needs one, and Bull Board would read a body of any size. */
const refuseBodies: RequestHandler = (request, _response, next) =>
  next(hasBody(request) ? new AppError('PAYLOAD_TOO_LARGE', 'The management port takes no request bodies') : undefined);

type Settings = Pick<Config, 'NODE_ENV' | 'MANAGEMENT_HOST' | 'MANAGEMENT_USER' | 'MANAGEMENT_PASSWORD'>;

const NO_PASSWORD =
  'This page is closed, because no password is set. Set MANAGEMENT_PASSWORD in the environment of this process and ' +
  'restart it; then log in as MANAGEMENT_USER (by default, operator).\n';

/**
 * Lets operators in by HTTP Basic authentication (RFC 7617). If no password is set, it refuses all requests, with one exception:
 * outside of production, a server that listens only on loopback needs no password. `npm start` runs such processes.
 */
function operatorsOnly(settings: Settings): (request: Request, response: Response, next: NextFunction) => void {
  const { MANAGEMENT_USER: user, MANAGEMENT_PASSWORD: password } = settings;
  if (password === '') {
    if (settings.NODE_ENV !== 'production' && isLoopback(settings.MANAGEMENT_HOST))
      return (_request, _response, next) => next();
    return (_request, response) => void response.status(403).type('text').send(NO_PASSWORD);
  }
  const expected = digest(`${user}:${password}`);
  return (request, response, next) => {
    // Digests have the same length, so the comparison takes the same time for all credentials.
    if (timingSafeEqual(digest(credentialsOf(request)), expected)) return next();
    response.setHeader('WWW-Authenticate', 'Basic realm="operators", charset="UTF-8"');
    response.status(401).type('text').send('Log in with MANAGEMENT_USER and MANAGEMENT_PASSWORD.\n');
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The request's user and password, joined by a colon; empty if the request has none. */
function credentialsOf({ headers }: Request): string {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(headers.authorization ?? '') ?? [];
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}
