/**
 * Whether a text is an http or https URL without credentials, query and fragment, and without blanks around it, so that
 * paths can be appended.
 */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  return !url.search && !url.hash && !url.username && !url.password && !/[?#\s]/.test(text);
}

/** Removes slashes at the end. */
export const withoutTrailingSlashes = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL leads to this machine itself, so that requests cross no network. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);
