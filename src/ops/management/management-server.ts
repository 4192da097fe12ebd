import { createServer, type Server } from 'node:http';
import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import express, { type Express } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { CONFIG, type Config } from '../../core/config.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from '../../queues/queues.js';
import { ReadinessService } from '../health/readiness.service.js';

/**
 * The operators' port of a process: `/metrics` for Prometheus, `/queues` for Bull Board, `/healthz` and `/readyz`. It
 * listens on loopback unless MANAGEMENT_HOST says otherwise; none of it is reachable through the API's port.
 */
@Injectable()
export class ManagementServer implements BeforeApplicationShutdown {
  private readonly registry = new Registry();
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly readiness: ReadinessService,
    @InjectQueue(FULFILMENT_QUEUE) private readonly fulfilment: Queue,
    @InjectQueue(WEBHOOKS_QUEUE) private readonly webhooks: Queue,
  ) {}

  /** @param defaultPort where MANAGEMENT_PORT does not say. @throws when the port is taken */
  async listen(defaultPort: number): Promise<void> {
    collectDefaultMetrics({ register: this.registry });
    const server = createServer(this.createApp());
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.config.MANAGEMENT_PORT ?? defaultPort, this.config.MANAGEMENT_HOST, resolve);
    });
  }

  beforeApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private createApp(): Express {
    const app = express().disable('x-powered-by');
    app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
    app.get('/readyz', async (_request, response) => {
      const ready = await this.readiness.isReady();
      response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'PostgreSQL does not answer' });
    });
    app.get('/metrics', async (_request, response) => {
      response.type(this.registry.contentType).send(await this.registry.metrics());
    });
    const board = new ExpressAdapter();
    board.setBasePath('/queues');
    createBullBoard({
      queues: [this.fulfilment, this.webhooks].map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
      serverAdapter: board,
    });
    app.use('/queues', board.getRouter() as express.Router);
    return app;
  }
}
