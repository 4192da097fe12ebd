import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import express, {
  type ErrorRequestHandler,
  type Express,
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
import { operatorsOnly } from './management-access.js';
import { QueueBoardRepository } from './queue-board.repository.js';

/** Bull Board's page: an operator's browser need not tell other hosts that it looks at queues. */
const OWN_HOST_ONLY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'self'";

/**
 * The operators' port of a process: `/metrics` for Prometheus, `/healthz` and `/readyz`, which are open, and `/queues`
 * for Bull Board, which asks for a password. It listens on loopback unless MANAGEMENT_HOST says otherwise; none of it
 * but the health is reachable through the API's port.
 */
@Injectable()
export class ManagementServer implements BeforeApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly readiness: ReadinessService,
    private readonly metrics: Metrics,
    private readonly figures: DatabaseStatsService,
    private readonly subjects: QueueBoardRepository,
    private readonly redis: RedisHealthService,
    @InjectQueue(FULFILMENT_QUEUE) private readonly fulfilment: Queue<WakeUpJob>,
    @InjectQueue(WEBHOOKS_QUEUE) private readonly webhooks: Queue<WakeUpJob>,
  ) {}

  /**
   * @param defaultPort where MANAGEMENT_PORT does not say.
   * @returns the port. @throws when it is taken
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
      await this.figures.refresh();
      const { registry } = this.metrics;
      response.type(registry.contentType).send(await registry.metrics());
    });
    app.use('/queues', operatorsOnly(this.config), this.serveBoard());
    app.use((request, _response, next) => next(noSuchRoute(request)));
    // Express knows by its four parameters that this is for errors.
    const onError: ErrorRequestHandler = (error, request, response, _next) =>
      answerError(this.logger, error, request, response);
    app.use(onError);
    return app;
  }

  /** Redis is told for information: the process does its work without, only less promptly. */
  private async answerReadiness(response: Response): Promise<void> {
    const why = await this.readiness.whyNot();
    const redis = this.redis.isUp ? 'up' : 'down';
    response.status(why === null ? 200 : 503).json({ status: why ?? 'ready', redis });
  }

  /** Bull Board is loaded by the first who looks at it: most processes are started and stopped without. */
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

/** Nothing here takes a body, and Bull Board would read any to its end. */
const refuseBodies: RequestHandler = (request, _response, next) =>
  next(hasBody(request) ? new AppError('PAYLOAD_TOO_LARGE', 'The management port takes no request bodies') : undefined);
