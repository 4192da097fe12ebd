const MAX_DELAY_MS = 60_000;

/** Wait before a send that was not accepted is repeated: 1 s, doubling to 60 s (contract, section 8). */
export const resendDelayMs = (sends: number): number =>
  Math.min(1_000 * 2 ** Math.max(sends - 1, 0), MAX_DELAY_MS);

/** Wait before the next inquiry about a unit: 2 s after the send, doubling to 60 s (contract, section 8). */
export const inquiryDelayMs = (inquiries: number): number => Math.min(2_000 * 2 ** inquiries, MAX_DELAY_MS);
