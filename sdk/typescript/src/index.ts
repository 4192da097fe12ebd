export { Topup } from './topup.js';
export type { CallOptions, TopupOptions } from './transport.js';
export { ApiError, ConnectionError, TopupError } from './errors.js';
export { List, type Page } from './list.js';
export {
  isEvent,
  WebhookVerificationError,
  WebhookVerifier,
  type IncomingHeaders,
  type RawBody,
  type VerificationFailure,
} from './webhook-verifier.js';
export type * from './types.js';
export type { components, operations, paths, webhooks } from './schema.js';
