import { DELIVERED_EVENTS, DELIVERY_STATUSES, WEBHOOK_STATES } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choicesOf, day, several, whole, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

export const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      status: choicesOf(search.status, WEBHOOK_STATES),
      merchant: several(search.merchant, whole),
    }),
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders'], () => import('../pages/webhooks/webhooks')),
    'Webhooks',
  ),
});

/** The filters of lists of deliveries, and the delivery in the side panel. */
const deliverySearch = (search: Record<string, unknown>) => ({
  status: choicesOf(search.status, DELIVERY_STATUSES),
  event: choicesOf(search.event, DELIVERED_EVENTS),
  from: day(search.from),
  delivery: whole(search.delivery),
});

export const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/$id',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ ...deliverySearch(search), job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders', 'reports'], () => import('../pages/webhooks/webhook')),
    'Webhook',
  ),
});

export const deliveries = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ ...deliverySearch(search), merchant: several(search.merchant, whole) }),
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders', 'reports'], () => import('../pages/webhooks/deliveries')),
    'Deliveries',
  ),
});
