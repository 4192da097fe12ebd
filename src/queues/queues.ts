export const FULFILMENT_QUEUE = 'fulfilment';
export const WEBHOOKS_QUEUE = 'webhooks';

/** The partitions with due work: suppliers in the fulfilment queue, webhooks in the webhooks queue. */
export interface WakeUpJob {
  ids: number[];
}
