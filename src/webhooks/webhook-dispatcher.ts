import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { SecretBox } from '../core/secret-box.js';
import { Claims } from '../database/claims.js';
import { Database } from '../database/database.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import { WorkLanes } from '../queues/work-lanes.js';
import { AttemptRecorder } from './attempt-recorder.js';
import {
  CLAIM_DELIVERIES,
  FIND_OVERDUE,
  LOCK_CLAIMS,
  PULL_BACK_DELIVERIES,
  RELEASE_DELIVERIES,
  RELEASE_DELIVERY,
  UNDO_CLAIMS,
  type ClaimedDelivery,
  type RecordedAttempt,
} from './dispatch.sql.js';
import { AttemptTiming, WebhookSender } from './webhook-sender.js';

const MAX_IN_FLIGHT = 2_000;
/** From here on a webhook gets a few places only, so that many slow ones leave room for all the others. */
const CROWDED_FROM = 1_000;
const PLACES_WHEN_CROWDED = 2;
/**
 * A failed attempt keeps its place for at least this long. An endpoint that refuses everything at once would else be
 * worth hundreds of attempts a second, which all others wait for.
 */
const MIN_FAILURE_MS = 500;
/** When a delivery is looked at again that could not be signed here. */
const UNREADABLE_AGAIN_AFTER_SECONDS = 60;
const PULL_BACK_BATCH = 1_000;

type Task = ClaimedDelivery & { claimedAtMs: number };

/**
 * Delivers webhooks: claims due deliveries, sends each with no transaction open, and records how it ended. Each
 * webhook has a lane of its own with WEBHOOK_MAX_IN_FLIGHT places, so that a slow one delays no other.
 */
@Injectable()
export class WebhookDispatcher {
  private readonly lanes: WorkLanes<Task>;
  private readonly claims: Claims;
  private inFlight = 0;
  /** Webhooks whose secrets could not be opened when last tried. */
  private readonly unreadable = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly sender: WebhookSender,
    private readonly recorder: AttemptRecorder,
    private readonly secretBox: SecretBox,
    private readonly timing: AttemptTiming,
    heartbeat: WorkerHeartbeat,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.claims = new Claims(heartbeat.name);
    this.lanes = new WorkLanes<Task>({
      name: 'webhooks',
      logger,
      limitOf: () => this.placesPerWebhook(),
      totalLimit: MAX_IN_FLIGHT,
      claim: (room, total) => this.claim(room, total),
      laneOf: ({ webhook_id }) => webhook_id,
      run: (task) => this.run(task),
    });
  }

  /** Deliveries to these webhooks may be due. Returns at once; before the database is there, it has nothing to say. */
  wake(webhookIds: Iterable<number>): void {
    if (this.database.isOpen) this.lanes.wake(webhookIds);
  }

  /** Takes up what was left behind: attempts that were interrupted, and due deliveries that no wake-up came for. */
  async wakeOverdue(): Promise<void> {
    await this.claims.undoLost(async (names) => void (await this.database.query(UNDO_CLAIMS, [names])));
    await this.recorder.recordInterrupted();
    const webhooks = await this.database.query<{ id: number }>(FIND_OVERDUE);
    this.wake(webhooks.map(({ id }) => id));
  }

  /** Takes over what workers had claimed that are gone. */
  async releaseClaimsOf(workers: string[]): Promise<void> {
    await this.database.query(RELEASE_DELIVERIES, [workers]);
  }

  /** Makes up for a clock of the database that was set back. @returns how many deliveries are due earlier now. */
  async pullBack(): Promise<number> {
    let total = 0;
    for (;;) {
      const { length } = await this.database.query(PULL_BACK_DELIVERIES, [PULL_BACK_BATCH]);
      total += length;
      if (length < PULL_BACK_BATCH) return total;
    }
  }

  /** Claims nothing more and waits for the attempts in flight. */
  drain(): Promise<void> {
    return this.lanes.drain();
  }

  private placesPerWebhook(): number {
    const usual = this.config.WEBHOOK_MAX_IN_FLIGHT;
    return this.inFlight < CROWDED_FROM ? usual : Math.min(usual, PLACES_WHEN_CROWDED);
  }

  private async claim(room: Map<number, number>, total: number): Promise<Task[]> {
    const claimedAtMs = performance.now();
    const webhooks = [...room.keys()];
    const leaseMs = this.timing.timeoutMs + this.timing.leaseMarginMs;
    const deliveries = await this.claims.claim((name) =>
      this.database.batch<ClaimedDelivery>(
        [LOCK_CLAIMS, [webhooks]],
        [
          CLAIM_DELIVERIES,
          [webhooks, [...room.values()], total, this.config.WEBHOOK_MAX_IN_FLIGHT, leaseMs, name],
        ],
      ),
    );
    const tasks = deliveries.filter(({ decision }) => decision === 'send');
    this.inFlight += tasks.length;
    if (tasks.length > 0) failpoint('delivery.claimed');
    // What ended without an attempt took places of the claim; more may be due behind it.
    const ended = deliveries.filter(({ decision }) => decision !== 'send');
    this.wake(ended.map(({ webhook_id }) => webhook_id));
    for (const each of ended) this.reportEnd(each, each.decision === 'fail' ? 'failed' : 'cancelled');
    return tasks.map((task) => ({ ...task, claimedAtMs }));
  }

  private async run(task: Task): Promise<void> {
    try {
      await this.attempt(task);
    } finally {
      this.inFlight--;
    }
  }

  private async attempt(task: Task): Promise<void> {
    const { id, webhook_id: webhookId, attempt_count: number, attempt_started_at: startedAt } = task;
    if (performance.now() - task.claimedAtMs > this.timing.leaseMarginMs) {
      this.logger.warn(aboutDelivery(task), 'a claim came too late to be used');
      return this.release(task, 0);
    }
    const secrets = this.openSecrets(task);
    if (secrets === null) return this.release(task, UNREADABLE_AGAIN_AFTER_SECONDS);
    const message = { id: task.event_id, timestamp: Math.floor(startedAt.getTime() / 1000), body: task.body };
    const outcome = await this.sender.send(task.url, message, secrets);
    failpoint('delivery.sent');
    const { status, error, durationMs } = outcome;
    this.logger.debug({ ...aboutDelivery(task), status, error, durationMs }, 'a delivery attempt ended');
    const leaseEndMs = task.claimedAtMs + this.timing.timeoutMs + this.timing.leaseMarginMs;
    const attempt = { deliveryId: id, webhookId, number, startedAt, outcome };
    const recorded = await this.recorder.record(attempt, leaseEndMs);
    if (recorded) this.reportEnd(task, recorded.status, status ?? error);
    if (recorded?.has_due) this.wake([webhookId]);
    if (recorded?.status !== 'succeeded') await delay(Math.max(0, MIN_FAILURE_MS - durationMs));
  }

  /** One line for each delivery that has come to its end. @param result of the last attempt. */
  private reportEnd(
    delivery: ClaimedDelivery,
    status: RecordedAttempt['status'],
    result: number | string | null = null,
  ): void {
    if (status === 'pending') return;
    const about = { ...aboutDelivery(delivery), result };
    if (status === 'succeeded') this.logger.info(about, 'webhook delivered');
    else this.logger.info(about, status === 'failed' ? 'webhook failed for good' : 'webhook cancelled');
  }

  /** The secrets that sign at present; null, with one error in the log, when SECRETS_KEY does not fit them. */
  private openSecrets({ webhook_id: webhookId, ...sealed }: Task): string[] | null {
    try {
      const secrets = [sealed.secret_sealed, sealed.previous_secret_sealed].flatMap((each) =>
        each === null ? [] : this.secretBox.open(each),
      );
      this.unreadable.delete(webhookId);
      return secrets;
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.unreadable.has(webhookId))
        this.logger.error({ webhookId, reason }, 'a webhook secret can’t be opened: its deliveries wait');
      this.unreadable.add(webhookId);
      return null;
    }
  }

  /** An attempt that never began does not count. What is due again at once is claimed again at once. */
  private async release(task: Task, dueInSeconds: number): Promise<void> {
    await this.database.query(RELEASE_DELIVERY, [task.id, task.attempt_count, dueInSeconds]);
    if (dueInSeconds === 0) this.wake([task.webhook_id]);
  }
}

/** The delivery as log lines name it, with the request and the order that it tells of. */
const aboutDelivery = (delivery: ClaimedDelivery): object => ({
  requestId: delivery.request_id ?? undefined,
  orderNumber: delivery.order_number ?? undefined,
  webhookId: delivery.webhook_id,
  deliveryId: String(delivery.id),
  eventId: delivery.event_id,
  attempt: delivery.attempt_count,
});
