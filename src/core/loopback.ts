const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL leads to this machine itself: what is sent there crosses no network. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);
