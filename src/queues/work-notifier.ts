/**
 * Sends wake-ups for work that is in PostgreSQL. Nothing waits for a wake-up, and a lost, late or repeated wake-up only costs time.
 * This abstract class is separate from the sender, so that a process without queues does not load Bull.
 */
export abstract class WorkNotifier {
  /** Units of these suppliers are due, now or after a delay in milliseconds. After a long delay the sweeper finds them. */
  abstract notifyFulfilment(supplierIds: Iterable<number>, delayMs?: number): void;

  /** Deliveries to these webhooks are due, now or after a delay in milliseconds. */
  abstract notifyWebhooks(webhookIds: Iterable<number>, delayMs?: number): void;
}
