import { REVIEW_STATES } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, choicesOf, several, text, whole, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';
import { orderFilters } from './order-filters';

export const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(
    inArea('home', () => import('../pages/home/home')),
    'Home',
  ),
});

export const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ ...orderFilters(search), merchant: several(search.merchant, whole) }),
  component: lazyRouteComponent(
    inArea('orders', () => import('../pages/orders/orders')),
    'Orders',
  ),
});

export const order = createRoute({
  getParentRoute: () => shell,
  path: '/orders/$number',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      timeline: choice(search.timeline, ['units']),
      only: choice(search.only, ['failures']),
      resolve: text(search.resolve),
    }),
  component: lazyRouteComponent(
    inArea('orders', () => import('../pages/orders/order')),
    'Order',
  ),
});

export const review = createRoute({
  getParentRoute: () => shell,
  path: '/review',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      supplier: several(search.supplier, text),
      state: choicesOf(search.state, REVIEW_STATES),
    }),
  component: lazyRouteComponent(
    inArea('orders', () => import('../pages/review/review')),
    'Review',
  ),
});

export const search = createRoute({
  getParentRoute: () => shell,
  path: '/search',
  validateSearch: (params: Record<string, unknown>) => withoutUndefined({ q: text(params.q) }),
  component: lazyRouteComponent(
    inArea('search', () => import('../pages/search/search')),
    'Search',
  ),
});
