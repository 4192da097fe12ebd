/** The prefix of suppliers' callback addresses. The supplier's code and the secret token of the address follow. */
export const CALLBACKS_PATH = '/supplier-callbacks';
/** The same for callbacks about payments, with a channel's code. */
export const DEPOSIT_CALLBACKS_PATH = '/deposit-callbacks';

const WITH_TOKEN = new RegExp(`((?:${CALLBACKS_PATH}|${DEPOSIT_CALLBACKS_PATH})/).*`, 'is');

/** A path or URL for logs: without the query, and without what follows the prefix of a callback address. */
export const loggablePath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(WITH_TOKEN, '$1…');
