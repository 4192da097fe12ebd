export const FULFILMENT_QUEUE = 'fulfilment';
export const WEBHOOKS_QUEUE = 'webhooks';

/** Wakes the workers for due work of suppliers (fulfilment queue) or webhooks (webhooks queue), by their ids. */
export interface WakeUpJob {
  ids: number[];
}
