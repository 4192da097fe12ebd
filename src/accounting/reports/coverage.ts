/** Which merchants a report covers. */
export interface Coverage {
  /** Includes sandbox merchants, who pay nothing and get nothing. */
  includeSandbox: boolean;
}

/** The default of reports. */
export const LIVE_ONLY: Coverage = { includeSandbox: false };
