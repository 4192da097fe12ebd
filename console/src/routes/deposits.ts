import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { DEPOSIT_STATUSES, PAYMENT_LISTS } from '../choices';
import type { DepositFilters } from '../pages/deposits/deposits';
import { choice, choicesOf, day, several, text, whole, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

/** The filters of any list of deposits. */
export const depositFilters = (search: Record<string, unknown>): DepositFilters => ({
  status: choicesOf(search.status, DEPOSIT_STATUSES),
  q: text(search.q),
  channel: several(search.channel, text),
  from: day(search.from),
});

export const deposits = createRoute({
  getParentRoute: () => shell,
  path: '/deposits',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ ...depositFilters(search), merchant: several(search.merchant, whole) }),
  component: lazyRouteComponent(
    inArea('deposits', () => import('../pages/deposits/deposits')),
    'Deposits',
  ),
});

export const deposit = createRoute({
  getParentRoute: () => shell,
  path: '/deposits/$number',
  component: lazyRouteComponent(
    inArea('deposits', () => import('../pages/deposits/deposit')),
    'DepositPage',
  ),
});

export const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      which: choice(search.which, PAYMENT_LISTS),
      payment: text(search.payment),
      channel: several(search.channel, text),
      amount: text(search.amount),
      merchant: several(search.merchant, whole),
    }),
  component: lazyRouteComponent(
    inArea(['deposits', 'merchants'], () => import('../pages/deposits/payments')),
    'Payments',
  ),
});

export const channels = createRoute({
  getParentRoute: () => shell,
  path: '/channels',
  component: lazyRouteComponent(
    inArea('deposits', () => import('../pages/deposits/channels')),
    'Channels',
  ),
});

export const channel = createRoute({
  getParentRoute: () => shell,
  path: '/channels/$code',
  component: lazyRouteComponent(
    inArea('deposits', () => import('../pages/deposits/channel')),
    'Channel',
  ),
});
