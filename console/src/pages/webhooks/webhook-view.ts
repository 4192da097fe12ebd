import type { components } from '../../schema';

type Schemas = components['schemas'];
export type WebhookView = Schemas['ConsoleWebhookDto'];
export type WebhookDetailView = Schemas['ConsoleWebhookDetailDto'];
export type DeliveryView = Schemas['ConsoleDeliveryDto'];
export type DeliveryDetailView = Schemas['ConsoleDeliveryDetailDto'];
export type AttemptView = Schemas['ConsoleAttemptDto'];

/** Above this, waiting deliveries are not counted. */
const COUNTED = 1_000;

/** `1,000+` where there are more than are counted. */
export const waitingText = (waiting: number, language: string): string =>
  waiting > COUNTED ? `${COUNTED.toLocaleString(language)}+` : waiting.toLocaleString(language);

/** How a webhook does: one that is switched on and where nothing succeeds any more is failing. */
export const stateOf = ({ status, failing_since: failing }: Pick<WebhookView, 'status' | 'failing_since'>): string =>
  status === 'active' && failing !== null ? 'failing' : status;

/** How many of a day's deliveries succeeded; null where none has ended. */
export const shareOf = ({ succeeded, ended }: WebhookView['day']): string | null =>
  ended === 0 ? null : `${Math.floor((100 * succeeded) / ended)}%`;
