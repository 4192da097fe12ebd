import { APPROVAL_STATUSES } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, withoutUndefined, whole } from '../search-params';
import { inArea, shell } from './base';

export const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      status: choice(search.status, APPROVAL_STATUSES),
      merchant: whole(search.merchant),
    }),
  component: lazyRouteComponent(
    inArea(['approvals', 'merchants'], () => import('../pages/approvals/approvals')),
    'Approvals',
  ),
});
