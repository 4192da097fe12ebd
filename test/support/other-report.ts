/**
 * In SQL: a report by another process. It locks the order, and opens a discrepancy about a further purchase under the attempt's
 * reference, with this reference of the supplier.
 */
export const reportOf = (supplierReference: string, reference: string): string => `
  SELECT FROM orders o JOIN unit_attempts a ON a.order_id = o.id WHERE a.reference = '${reference}' FOR NO KEY UPDATE OF o;
  INSERT INTO supplier_reversals (order_id, item, unit, attempt, supplier_id, kind, supplier_reference, created_at)
  SELECT order_id, item, unit, number, supplier_id, 'unknown_purchase', '${supplierReference}', now()
  FROM unit_attempts WHERE reference = '${reference}'`;
