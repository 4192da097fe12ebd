import type { components } from '../../schema';

type Schemas = components['schemas'];
export type WebhookView = Schemas['ConsoleWebhookDto'];
export type WebhookDetailView = Schemas['ConsoleWebhookDetailDto'];
export type DeliveryView = Schemas['ConsoleDeliveryDto'];
export type DeliveryDetailView = Schemas['ConsoleDeliveryDetailDto'];
export type AttemptView = Schemas['ConsoleAttemptDto'];

/** The API counts waiting deliveries only up to this number. */
const MAX_COUNTED = 1_000;

/** Formats a count, or `1,000+` above the limit. */
export const waitingText = (waiting: number, language: string): string =>
  waiting > MAX_COUNTED ? `${MAX_COUNTED.toLocaleString(language)}+` : waiting.toLocaleString(language);

/** The state of a webhook. An active one is failing when none of its deliveries succeed any more. */
export const stateOf = ({ status, failing_since: failing }: Pick<WebhookView, 'status' | 'failing_since'>): string =>
  status === 'active' && failing !== null ? 'failing' : status;

/** The percentage of a day's ended deliveries that succeeded. Null when none has ended. */
export const shareOf = ({ succeeded, ended }: WebhookView['day']): string | null =>
  ended === 0 ? null : `${Math.floor((100 * succeeded) / ended)}%`;
