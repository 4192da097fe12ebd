/**
 * The id of the built-in supplier, which fulfils all orders of sandbox merchants and no others. No sequence yields this number.
 */
export const SANDBOX_SUPPLIER_ID = 0;

/** The id of the built-in channel, which takes all deposits of sandbox merchants and no others. No sequence yields this number. */
export const SANDBOX_CHANNEL_ID = 0;
