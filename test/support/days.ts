/** The day, as YYYY-MM-DD, that a moment is in somewhere. @param zone such as `Asia/Bangkok`. */
export const dayIn = (zone: string, moment: Date | string | number = new Date()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(moment));
