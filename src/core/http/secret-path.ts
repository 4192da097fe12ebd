/** Under it suppliers call us. What follows names a supplier, and holds the secret token of its address. */
export const CALLBACKS_PATH = '/supplier-callbacks';

const WITH_TOKEN = new RegExp(`(${CALLBACKS_PATH}/).*`, 'is');

/** A path or URL as it may stand in logs: without its query, and without a token that may be in it. */
export const loggablePath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(WITH_TOKEN, '$1…');
