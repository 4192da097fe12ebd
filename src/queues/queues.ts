export const FULFILMENT_QUEUE = 'fulfilment';
export const WEBHOOKS_QUEUE = 'webhooks';

/** A job says only whose work is due: suppliers of the fulfilment queue, webhooks of the webhooks queue. */
export interface WakeUpJob {
  ids: number[];
}
