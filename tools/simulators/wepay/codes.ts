/** C: the codes, as two clients name them. */
export const CODES: ReadonlyMap<string, string> = new Map([
  ['00000', 'Accepted'],
  ['10001', 'Internal error: database'],
  ['10002', 'Internal error: transaction incomplete'],
  ['10003', 'Too many requests'],
  ['10004', 'Internal error: could not create the transaction'],
  ['20001', 'Username is not valid'],
  ['20003', 'Password is not valid'],
  ['20004', 'Username may not use the API'],
  ['20005', 'IP address is not allowed'],
  ['30001', 'Company is unknown'],
  ['30002', 'Transaction id is not valid'],
  ['30003', 'Transaction id is not found'],
  ['30004', 'Transaction is in progress'],
  ['30005', 'Callback URL is not valid'],
  ['30006', 'Callback reference is not valid'],
  ['30007', 'Amount is not valid'],
  ['30008', 'Company is not valid'],
  ['30009', 'Ref 1 is not valid'],
  ['30010', 'Ref 2 is not valid'],
  ['30011', 'Ref 3 is not valid'],
  ['30012', 'Ref 4 is not valid'],
  ['30013', 'Barcode is not valid'],
  ['30016', 'Callback reference is repeated'],
  ['30017', 'Wrong company'],
  ['30018', 'Wrong amount due'],
  ['30019', 'Balance is too low'],
  ['30020', 'Paying this company is not allowed'],
]);

export const ACCEPTED = '00000';
export const SUCCEEDED = '2';
export const FAILED = '4';
/** I: the status of a purchase under way; it is only known to be neither of the two. */
export const UNDER_WAY = '1';

/** Whether a purchase succeeded, is pending or failed. */
export function outcomeOf({ status }: { readonly status: string }): 'succeeded' | 'failed' | 'pending' {
  if (status === SUCCEEDED) return 'succeeded';
  return status === FAILED ? 'failed' : 'pending';
}
