/**
 * The id of the built-in supplier, which fulfils the orders of sandbox merchants only. No sequence yields this number.
 */
export const SANDBOX_SUPPLIER_ID = 0;

/** The id of the built-in channel, which takes the deposits of sandbox merchants only. No sequence yields this number. */
export const SANDBOX_CHANNEL_ID = 0;
