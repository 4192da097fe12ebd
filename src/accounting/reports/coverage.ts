/** Whom a report is about. */
export interface Coverage {
  /** Also about sandbox merchants, who neither pay nor get anything. */
  includeSandbox: boolean;
}

/** What reports are about unless somebody asks for more. */
export const LIVE_ONLY: Coverage = { includeSandbox: false };
