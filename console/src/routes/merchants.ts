import { MERCHANT_STATUSES } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, choicesOf, text, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';
import { depositFilters } from './deposits';
import { orderFilters } from './order-filters';

export const merchants = createRoute({
  getParentRoute: () => shell,
  path: '/merchants',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      q: text(search.q),
      status: choicesOf(search.status, MERCHANT_STATUSES),
      sandbox: choice(search.sandbox, ['true', 'false']),
      low: choice(search.low, ['true']),
    }),
  component: lazyRouteComponent(
    inArea('merchants', () => import('../pages/merchants/merchants')),
    'Merchants',
  ),
});

export const merchant = createRoute({
  getParentRoute: () => shell,
  path: '/merchants/$id',
  component: lazyRouteComponent(
    inArea(['merchants', 'approvals'], () => import('../pages/merchants/merchant')),
    'Merchant',
  ),
});

export const merchantOverview = createRoute({
  getParentRoute: () => merchant,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/merchants/overview'), 'Overview'),
});

export const merchantOrders = createRoute({
  getParentRoute: () => merchant,
  path: '/orders',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined(orderFilters(search)),
  component: lazyRouteComponent(
    inArea('orders', () => import('../pages/merchants/merchant-orders')),
    'MerchantOrders',
  ),
});

export const merchantDeposits = createRoute({
  getParentRoute: () => merchant,
  path: '/deposits',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined(depositFilters(search)),
  component: lazyRouteComponent(
    inArea('deposits', () => import('../pages/merchants/merchant-deposits')),
    'MerchantDeposits',
  ),
});

export const merchantStatement = createRoute({
  getParentRoute: () => merchant,
  path: '/statement',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined({ kind: choice(search.kind, ['funding']) }),
  component: lazyRouteComponent(() => import('../pages/merchants/statement'), 'Statement'),
});

export const merchantKeys = createRoute({
  getParentRoute: () => merchant,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/merchants/keys'), 'Keys'),
});

export const merchantPrices = createRoute({
  getParentRoute: () => merchant,
  path: '/prices',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ q: text(search.q), own: choice(search.own, ['true']) }),
  component: lazyRouteComponent(() => import('../pages/merchants/prices'), 'Prices'),
});

export const merchantWebhooks = createRoute({
  getParentRoute: () => merchant,
  path: '/webhooks',
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders'], () => import('../pages/merchants/merchant-webhooks')),
    'MerchantWebhooks',
  ),
});

export const merchantLog = createRoute({
  getParentRoute: () => merchant,
  path: '/log',
  component: lazyRouteComponent(
    inArea('log', () => import('../pages/merchants/merchant-log')),
    'MerchantLog',
  ),
});
