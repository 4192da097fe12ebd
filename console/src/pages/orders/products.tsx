import type { ReactNode } from 'react';

/** The ordered products in one line: `MLBB-86 × 2, PUBG-60`. */
export function Products({ items }: { items: readonly { sku: string; quantity: number }[] }): ReactNode {
  const text = items.map(({ sku, quantity }) => (quantity === 1 ? sku : `${sku} × ${quantity}`)).join(', ');
  return <span title={text}>{text}</span>;
}
