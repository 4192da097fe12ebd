import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { failpoint } from '../core/failpoints.js';
import { SecretBox } from '../core/secret-box.js';
import { Database } from '../database/database.js';
import { Dispatcher } from '../queues/dispatcher.js';
import { LeasedWork, type ClaimRequest, type WorkTable } from '../queues/leased-work.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { DeliveryObserver } from './delivery.observer.js';
import { DeliveryBodiesService } from './delivery-bodies.service.js';
import { DispatchRepository, type ClaimedDelivery } from './dispatch.repository.js';
import { AttemptTiming, WebhookSender } from './webhook-sender.js';
import { webhookSecretPlace } from './webhook.entity.js';

const TOTAL_SLOTS = 2_000;
/** From this number of running attempts on, each webhook gets few slots, so that slow webhooks leave slots for the others. */
const CROWDED_FROM = 1_000;
const SLOTS_WHEN_CROWDED = 2;
/**
 * The minimum time for which a failed attempt holds its slot in this process. Otherwise, an endpoint that refuses
 * everything at once would get hundreds of attempts a second, and all other endpoints would wait.
 */
const MIN_FAILURE_MS = 500;
/** When to try a delivery again if this process could not decrypt the signing secrets or read the body. */
const UNREADABLE_AGAIN_AFTER_SECONDS = 60;

/**
 * Delivers webhooks: claims due deliveries, sends each with no transaction open, and records the outcome. Each webhook has
 * WEBHOOK_MAX_IN_FLIGHT slots over all workers, so that a slow webhook does not delay others.
 */
@Injectable()
@Dispatcher('deliveries')
export class WebhookDispatcher {
  readonly work: LeasedWork<ClaimedDelivery>;

  constructor(
    database: Database,
    private readonly deliveries: DispatchRepository,
    private readonly bodies: DeliveryBodiesService,
    private readonly sender: WebhookSender,
    private readonly recorder: AttemptRecorder,
    private readonly observer: DeliveryObserver,
    private readonly secretBox: SecretBox,
    private readonly timing: AttemptTiming,
    heartbeat: WorkerHeartbeatService,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.work = new LeasedWork({
      table: this.table(),
      claim: (request) => this.claim(request),
      run: (delivery, leaseEndMs) => this.run(delivery, leaseEndMs),
      partitionOf: ({ webhook_id }) => webhook_id,
      slotsOf: (_webhookId, running) => this.slotsPerWebhook(running),
      totalSlots: TOTAL_SLOTS,
      runLimitMs: () => timing.timeoutMs,
      leaseMarginMs: timing.leaseMarginMs,
      process: heartbeat.name,
      isReady: () => database.isOpen,
      observer,
    });
  }

  /** Claims nothing more and waits for the attempts in flight. */
  drain(): Promise<void> {
    return this.work.drain();
  }

  private slotsPerWebhook(running: number): number {
    const usual = this.config.WEBHOOK_MAX_IN_FLIGHT;
    return running < CROWDED_FROM ? usual : Math.min(usual, SLOTS_WHEN_CROWDED);
  }

  private async claim(request: ClaimRequest): Promise<ClaimedDelivery[]> {
    const leaseMs = this.timing.timeoutMs + this.timing.leaseMarginMs;
    const claimed = await this.deliveries.claim(request, this.config.WEBHOOK_MAX_IN_FLIGHT, leaseMs);
    const deliveries = claimed.filter(({ decision }) => decision === 'send');
    if (deliveries.length > 0) failpoint('delivery.claimed');
    // The deliveries that ended without an attempt used up slots of this claim, so claim again.
    const ended = claimed.filter(({ decision }) => decision !== 'send');
    this.work.wake(ended.map(({ webhook_id }) => webhook_id));
    for (const each of ended) this.observer.ended(each, each.decision === 'fail' ? 'failed' : 'cancelled');
    return deliveries;
  }

  private async run(delivery: ClaimedDelivery, leaseEndMs: number): Promise<void> {
    const { id, webhook_id: webhookId, attempt_count: number, attempt_started_at: startedAt } = delivery;
    const secrets = this.openSecrets(delivery);
    const body = secrets && (await this.readBody(delivery));
    if (secrets === null || body === null)
      return void (await this.deliveries.undoClaim(delivery, UNREADABLE_AGAIN_AFTER_SECONDS));
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    const message = { id: delivery.event_id, timestamp, body };
    const outcome = await this.sender.send(delivery.url, message, secrets);
    failpoint('delivery.sent');
    this.observer.attempted(delivery, outcome);
    // A body that differs from the stored one contains codes. The endpoint may return them in its answer, so the answer is
    // not stored.
    const logged = body === delivery.body ? outcome : { ...outcome, bodyText: null };
    const attempt = { deliveryId: id, webhookId, number, startedAt, outcome: logged };
    const recorded = await this.recorder.record(attempt, leaseEndMs);
    if (recorded) this.observer.ended(delivery, recorded.status, outcome);
    if (recorded?.has_due) this.work.wake([webhookId]);
    if (recorded?.status !== 'succeeded') await delay(Math.max(0, MIN_FAILURE_MS - outcome.durationMs));
  }

  /** The secrets that sign at present; null if SECRETS_KEY cannot open them. */
  private openSecrets(delivery: ClaimedDelivery): string[] | null {
    const { webhook_id: webhookId, secret_sealed: secret, previous_secret_sealed: previous } = delivery;
    try {
      const place = webhookSecretPlace(webhookId);
      const secrets = [secret, ...(previous ? [previous] : [])].map((each) => this.secretBox.open(each, place));
      this.observer.secretsOpened(webhookId);
      return secrets;
    } catch (error) {
      this.observer.secretsUnreadable(webhookId, (error as Error).message);
      return null;
    }
  }

  /** Null if the body cannot be read at present. */
  private async readBody(delivery: ClaimedDelivery): Promise<string | null> {
    try {
      return await this.bodies.bodyOf(delivery);
    } catch (error) {
      this.observer.bodyUnreadable(delivery, (error as Error).message);
      return null;
    }
  }

  private table(): WorkTable<ClaimedDelivery> {
    const { deliveries } = this;
    return {
      listDuePartitions: async () => {
        await this.recorder.recordInterrupted();
        return deliveries.listDuePartitions();
      },
      undoClaim: (delivery) => deliveries.undoClaim(delivery),
      undoClaims: (names) => deliveries.undoClaims(names),
      takeOverClaims: (processes) => deliveries.takeOverClaims(processes),
      pullBack: (limit) => deliveries.pullBack(limit),
    };
  }
}
