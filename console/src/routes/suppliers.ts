import { SUPPLIER_TABS } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, several, text, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

export const suppliers = createRoute({
  getParentRoute: () => shell,
  path: '/suppliers',
  component: lazyRouteComponent(
    inArea('suppliers', () => import('../pages/suppliers/suppliers')),
    'Suppliers',
  ),
});

export const supplier = createRoute({
  getParentRoute: () => shell,
  path: '/suppliers/$code',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      range: choice(search.range, ['day', 'week']),
      tab: choice(search.tab, SUPPLIER_TABS),
      q: text(search.q),
      unmapped: choice(search.unmapped, ['true']),
    }),
  component: lazyRouteComponent(
    inArea(['suppliers', 'products', 'log'], () => import('../pages/suppliers/supplier')),
    'Supplier',
  ),
});

export const reversals = createRoute({
  getParentRoute: () => shell,
  path: '/reversals',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ open: choice(search.open, ['true']), supplier: several(search.supplier, text) }),
  component: lazyRouteComponent(
    inArea(['reversals', 'orders'], () => import('../pages/reversals/reversals')),
    'Reversals',
  ),
});
