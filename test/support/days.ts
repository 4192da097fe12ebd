/** The day of a moment in a time zone, as YYYY-MM-DD. @param zone such as `Asia/Bangkok`. */
export const dayIn = (zone: string, moment: Date | string | number = new Date()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(moment));

const noon = 12 - new Date().getUTCHours();

/** A time zone in which it is about noon, so that no test runs over midnight. */
export const NOON_ZONE = `Etc/GMT${noon > 0 ? '-' : '+'}${Math.abs(noon)}`;
