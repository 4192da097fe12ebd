/** The day of a moment in a time zone, as YYYY-MM-DD. @param zone such as `Asia/Bangkok`. */
export const dayIn = (zone: string, moment: Date | string | number = new Date()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(moment));
