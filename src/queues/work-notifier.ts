/**
 * Tells workers that there is work in PostgreSQL. It is a hint and nothing waits for it: a wake-up that is lost, late or
 * doubled costs time only. What sends it is apart from this: a process without queues does not load their library.
 */
export abstract class WorkNotifier {
  /** Units of these suppliers are due, now or after a delay in milliseconds. After a long one the sweeper finds them. */
  abstract notifyFulfilment(supplierIds: Iterable<number>, delayMs?: number): void;

  /** Deliveries to these webhooks are due, now or after a delay in milliseconds. */
  abstract notifyWebhooks(webhookIds: Iterable<number>, delayMs?: number): void;
}
