import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import express, { type Express, type RequestHandler, type Response, type Router } from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { Metrics } from '../../core/metrics.js';
import { checkout } from '../../local/checkout.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from '../../queues/queues.js';
import { ReadinessService } from '../health/readiness.service.js';
import { DatabaseFigures } from './database-figures.js';
import { operatorsOnly } from './management-access.js';

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
    private readonly readiness: ReadinessService,
    private readonly metrics: Metrics,
    private readonly figures: DatabaseFigures,
    @InjectQueue(FULFILMENT_QUEUE) private readonly fulfilment: Queue,
    @InjectQueue(WEBHOOKS_QUEUE) private readonly webhooks: Queue,
  ) {}

  /**
   * @param defaultPort where MANAGEMENT_PORT does not say.
   * @returns the port. @throws when it is taken
   */
  async listen(defaultPort: number): Promise<number> {
    this.metrics.describeProcess(version());
    const server = createServer(this.createApp());
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
    app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
    app.get('/readyz', (_request, response) => this.answerReadiness(response));
    app.get('/metrics', async (_request, response) => {
      await this.figures.refresh();
      const { registry } = this.metrics;
      response.type(registry.contentType).send(await registry.metrics());
    });
    app.use('/queues', operatorsOnly(this.config), this.serveBoard());
    return app;
  }

  /** Redis is told for information: the process does its work without, only less promptly. */
  private async answerReadiness(response: Response): Promise<void> {
    const ready = await this.readiness.isReady();
    const redis = this.fulfilment.client.status === 'ready' ? 'up' : 'down';
    const status = ready ? 'ready' : 'PostgreSQL does not answer';
    response.status(ready ? 200 : 503).json({ status, redis });
  }

  /** Bull Board is loaded by the first who looks at it: most processes are started and stopped without. */
  private serveBoard(): RequestHandler {
    let board: Promise<Router> | undefined;
    return (request, response, next) => {
      board ??= import('./queue-board.js').then(({ createQueueBoard }) =>
        createQueueBoard('/queues', [this.fulfilment, this.webhooks]),
      );
      board.then((serve) => serve(request, response, next), next);
    };
  }
}

function version(): string {
  const text = readFileSync(path.join(checkout, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
