import { APPROVAL_STATUSES } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choicesOf, several, whole, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

export const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      status: choicesOf(search.status, APPROVAL_STATUSES),
      merchant: several(search.merchant, whole),
    }),
  component: lazyRouteComponent(
    inArea(['approvals', 'merchants'], () => import('../pages/approvals/approvals')),
    'Approvals',
  ),
});
