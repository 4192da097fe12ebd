import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The name of a merchant, which leads to its page. */
export const MerchantLink = ({ merchant: { id, name } }: { merchant: { id: number; name: string } }): ReactNode => (
  <Link to="/merchants/$id" params={{ id: String(id) }}>
    {name}
  </Link>
);
