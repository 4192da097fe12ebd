/** Whether a text is an http or https URL that paths can be put behind: without credentials, query or fragment. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  return !url.search && !url.hash && !url.username && !url.password && !/[?#]/.test(text);
}

/** The same without slashes at its end. */
export const withoutTrailingSlashes = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL leads to this machine itself: what is sent there crosses no network. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);
