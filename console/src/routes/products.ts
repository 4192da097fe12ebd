import { PRICE_STEPS } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, several, text, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

interface ProductFilters {
  q: string | undefined;
  supplier: string | undefined;
  active: 'true' | 'false' | undefined;
}

const productFilters = (search: Record<string, unknown>): ProductFilters => ({
  q: text(search.q),
  supplier: several(search.supplier, text),
  active: choice(search.active, ['true', 'false']),
});

export const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined(productFilters(search)),
  component: lazyRouteComponent(
    inArea('products', () => import('../pages/products/products')),
    'Products',
  ),
});

export const productImport = createRoute({
  getParentRoute: () => shell,
  path: '/products/import',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined({ kind: choice(search.kind, ['prices']) }),
  component: lazyRouteComponent(
    inArea('products', () => import('../pages/products/import')),
    'Import',
  ),
});

export const productPrices = createRoute({
  getParentRoute: () => shell,
  path: '/products/prices',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      ...productFilters(search),
      percent: text(search.percent),
      round: choice(search.round, PRICE_STEPS),
    }),
  component: lazyRouteComponent(
    inArea('products', () => import('../pages/products/prices')),
    'Prices',
  ),
});

export const product = createRoute({
  getParentRoute: () => shell,
  path: '/products/$sku',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined({ edit: choice(search.edit, ['definition']) }),
  component: lazyRouteComponent(
    inArea(['products', 'log'], () => import('../pages/products/product')),
    'Product',
  ),
});

export const fx = createRoute({
  getParentRoute: () => shell,
  path: '/fx',
  component: lazyRouteComponent(
    inArea('products', () => import('../pages/products/fx')),
    'Fx',
  ),
});
