import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { SchemaService } from '../../database/schema.service.js';
import { UnitDispatcher } from '../../fulfilment/unit-dispatcher.js';
import { WorkerPresence } from '../../database/worker-presence.js';
import { WebhookDispatcher } from '../../webhooks/webhook-dispatcher.js';

const INTERVAL_MS = 2_000;

/**
 * Looks in PostgreSQL, every two seconds, for work that is due and that no wake-up started: Redis may have lost the
 * wake-up, a process may have died with the work. It is what makes Redis disposable.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly schema: SchemaService,
    private readonly presence: WorkerPresence,
    private readonly units: UnitDispatcher,
    private readonly webhooks: WebhookDispatcher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    void this.schema.whenReady().then((ready) => {
      if (!ready) return;
      this.look();
      this.timer = setInterval(() => this.look(), INTERVAL_MS);
    });
  }

  /** Ends the looking, then waits for the work that has begun; what is only due is left to other workers. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    await Promise.all([this.units.drain(), this.webhooks.drain()]);
    await this.presence.leave().catch(() => undefined);
  }

  private look(): void {
    this.looking ??= this.releaseClaimsOfTheDead()
      .then(() => Promise.all([this.units.wakeOverdue(), this.webhooks.wakeOverdue()]))
      .then(() => undefined)
      .catch((error: Error) =>
        this.logger.warn({ reason: error.message }, 'overdue work could not be looked for'),
      )
      .finally(() => (this.looking = undefined));
  }

  private async releaseClaimsOfTheDead(): Promise<void> {
    const dead = await this.presence.beat();
    if (dead.length === 0) return;
    this.logger.warn({ workers: dead }, 'workers are gone: what they had claimed is taken over');
    await Promise.all([this.units.releaseClaimsOf(dead), this.webhooks.releaseClaimsOf(dead)]);
    await this.presence.forget(dead);
  }
}
