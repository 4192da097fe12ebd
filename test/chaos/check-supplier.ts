import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

interface Purchase {
  reference: string;
  sku: string;
  user_id: string;
  outcome: 'succeeded' | 'failed' | 'processing';
  supplier_reference: string | null;
  received: number;
}

interface StoredUnit {
  reference: string;
  state: string;
  sku: string;
  user_id: string;
  supplier_reference: string | null;
  sends: number;
  /** What the service's own timeline says about it. */
  calls: object[];
}

const UNITS = `
  SELECT o.order_number || '.' || u.item || '.' || u.unit AS reference, u.state, i.supplier_sku AS sku, o.user_id,
         u.supplier_reference, u.sends,
         (SELECT coalesce(json_agg(json_build_object('kind', kind, 'outcome', outcome, 'detail', detail,
                   'process', process, 'ended_at', ended_at) ORDER BY id), '[]')
          FROM supplier_calls c WHERE c.order_id = u.order_id AND c.item = u.item AND c.unit = u.unit) AS calls
  FROM order_units u JOIN orders o ON o.id = u.order_id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item`;

/** Compares what the service believes to have bought with what the supplier sold. */
export async function checkSupplier(system: ChaosSystem, violations: Violations): Promise<void> {
  const purchases = await system.purchases<Purchase>();
  const units = await system.sql<StoredUnit>(UNITS);
  const sold = new Map<string, Purchase>();
  for (const purchase of purchases) {
    if (sold.has(purchase.reference)) {
      violations.add('supplier', 'a reference was bought twice', [sold.get(purchase.reference), purchase]);
    }
    sold.set(purchase.reference, purchase);
  }
  for (const unit of units) {
    const purchase = sold.get(unit.reference) ?? null;
    sold.delete(unit.reference);
    const evidence = { unit, purchase };
    const isBought = purchase?.outcome === 'succeeded';
    if (unit.state === 'succeeded' && !isBought) {
      violations.add('supplier', 'a unit succeeded that the supplier did not sell', evidence);
    } else if (unit.state === 'failed' && purchase !== null && purchase.outcome !== 'failed') {
      violations.add('supplier', 'a unit failed that the supplier sold', evidence);
    } else if (unit.state === 'succeeded' && unit.supplier_reference !== purchase?.supplier_reference) {
      violations.add('supplier', 'a unit names another purchase than the supplier', evidence);
    }
    if (purchase && (purchase.sku !== unit.sku || purchase.user_id !== unit.user_id)) {
      violations.add('supplier', 'the supplier was asked for something else than was ordered', evidence);
    }
    if (purchase && purchase.received > unit.sends) {
      violations.add('supplier', 'a unit was sent more often than was decided', evidence);
    }
  }
  for (const purchase of sold.values()) {
    violations.add('supplier', 'the supplier has a purchase that belongs to no unit', purchase);
  }
}
