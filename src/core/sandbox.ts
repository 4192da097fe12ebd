/**
 * The id of the supplier that is built in: what sandbox merchants order is bought from it, and nothing else is. The
 * database knows it by this number, which no sequence gives.
 */
export const SANDBOX_SUPPLIER_ID = 0;
