/** The prefix of suppliers' callback addresses. After it come the supplier and the address's secret token. */
export const CALLBACKS_PATH = '/supplier-callbacks';

const WITH_TOKEN = new RegExp(`(${CALLBACKS_PATH}/).*`, 'is');

/** A path or URL for logs: without query and callback token. */
export const loggablePath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(WITH_TOKEN, '$1…');
