import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, said, whole } from '../search-params';
import { inArea, shell } from './base';

export const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      status: choice(search.status, ['open', 'approved', 'rejected', 'withdrawn', 'expired']),
      merchant: whole(search.merchant),
    }),
  component: lazyRouteComponent(
    inArea(['approvals', 'merchants'], () => import('../pages/approvals/approvals')),
    'Approvals',
  ),
});
